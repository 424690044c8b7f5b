CREATE SCHEMA "webhooks";
--> statement-breakpoint
CREATE TABLE "webhooks"."deliveries" (
	"position" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhooks"."deliveries_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint" uuid NOT NULL,
	"event" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"time" timestamp with time zone NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due" timestamp with time zone NOT NULL,
	"lease_holder" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_failure" text,
	"last_status" integer,
	"set_aside_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "webhooks"."endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "webhooks"."endpoints_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"slot" integer NOT NULL,
	"url" text NOT NULL,
	"types" jsonb,
	"description" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"secret" text NOT NULL,
	"old_secret" text,
	"old_until" timestamp with time zone,
	"disabled_at" timestamp with time zone,
	"disabled_by" text,
	"last_success_at" timestamp with time zone,
	"last_failure_at" timestamp with time zone,
	"last_failure" text,
	"last_status" integer,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"rests_until" timestamp with time zone,
	"dropped" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "endpoints_position_unique" UNIQUE("position"),
	CONSTRAINT "endpoints_slot_unique" UNIQUE("slot"),
	CONSTRAINT "endpoints_slot" CHECK ("webhooks"."endpoints"."slot" BETWEEN 1 AND 100),
	CONSTRAINT "endpoints_disabled" CHECK (("webhooks"."endpoints"."disabled_at" IS NULL) = ("webhooks"."endpoints"."disabled_by" IS NULL))
);
--> statement-breakpoint
ALTER TABLE "webhooks"."deliveries" ADD CONSTRAINT "deliveries_endpoint_endpoints_id_fk" FOREIGN KEY ("endpoint") REFERENCES "webhooks"."endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_event" ON "webhooks"."deliveries" USING btree ("endpoint","event");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "webhooks"."deliveries" USING btree ("endpoint","due") WHERE "webhooks"."deliveries"."set_aside_at" IS NULL;--> statement-breakpoint
CREATE INDEX "deliveries_leased" ON "webhooks"."deliveries" USING btree ("endpoint") WHERE "webhooks"."deliveries"."lease_holder" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "deliveries_created" ON "webhooks"."deliveries" USING btree ("created_at");