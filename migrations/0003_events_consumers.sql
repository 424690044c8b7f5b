CREATE TABLE "events"."given_up" (
	"consumer" text NOT NULL,
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"event" text,
	"error" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "given_up_consumer_topic_partition_offset_pk" PRIMARY KEY("consumer","topic","partition","offset")
);
--> statement-breakpoint
CREATE TABLE "events"."handled" (
	"consumer" text NOT NULL,
	"id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "handled_consumer_id_pk" PRIMARY KEY("consumer","id")
);
--> statement-breakpoint
CREATE TABLE "events"."positions" (
	"consumer" text NOT NULL,
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint,
	"since" timestamp with time zone,
	"caught_up_at" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"retry_at" timestamp with time zone,
	"last_error" text,
	CONSTRAINT "positions_consumer_topic_partition_pk" PRIMARY KEY("consumer","topic","partition")
);
--> statement-breakpoint
CREATE TABLE "events"."revocation_version" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events"."revocations" (
	"subject" text PRIMARY KEY NOT NULL,
	"revision" integer NOT NULL,
	"locked_at" timestamp with time zone,
	"unlocked_at" timestamp with time zone,
	"until" timestamp with time zone NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users"."users" ADD COLUMN "last_signed_in_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "handled_at" ON "events"."handled" USING btree ("consumer","at");--> statement-breakpoint
CREATE INDEX "revocations_version" ON "events"."revocations" USING btree ("version");--> statement-breakpoint
CREATE INDEX "revocations_until" ON "events"."revocations" USING btree ("until");--> statement-breakpoint
CREATE INDEX "users_idle" ON "users"."users" USING btree (coalesce(last_signed_in_at, registered_at)) WHERE "users"."users"."status" = 'ACTIVE';