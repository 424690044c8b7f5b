CREATE SCHEMA "discovery";
--> statement-breakpoint
CREATE TABLE "discovery"."capacity" (
	"id" integer PRIMARY KEY NOT NULL,
	"live" integer NOT NULL,
	CONSTRAINT "capacity_live" CHECK ("discovery"."capacity"."live" <= 10000)
);
--> statement-breakpoint
CREATE TABLE "discovery"."instances" (
	"app" text NOT NULL,
	"id" text NOT NULL,
	"details" jsonb NOT NULL,
	"status" text NOT NULL,
	"overridden" text NOT NULL,
	"last_dirty" bigint NOT NULL,
	"renewal_seconds" integer NOT NULL,
	"lease_seconds" integer NOT NULL,
	"lease_ends" bigint NOT NULL,
	"registered_at" bigint NOT NULL,
	"renewed_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"up_at" bigint,
	"version" bigint NOT NULL,
	"joined" bigint NOT NULL,
	"action" text NOT NULL,
	"changed" bigint NOT NULL,
	"gone_at" bigint,
	"gone_reason" text,
	CONSTRAINT "instances_app_id_pk" PRIMARY KEY("app","id"),
	CONSTRAINT "instances_version_unique" UNIQUE("version")
);
--> statement-breakpoint
CREATE TABLE "discovery"."registry" (
	"id" integer PRIMARY KEY NOT NULL,
	"epoch" uuid DEFAULT gen_random_uuid() NOT NULL,
	"version" bigint NOT NULL,
	"floor" bigint NOT NULL,
	"lease_clock" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "instances_id" ON "discovery"."instances" USING btree ("id");--> statement-breakpoint
CREATE INDEX "instances_lease_ends" ON "discovery"."instances" USING btree ("lease_ends") WHERE "discovery"."instances"."gone_at" IS NULL;