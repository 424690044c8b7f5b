DROP INDEX "events"."outbox_unsent";--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "due" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "lease_holder" text;--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "unanswered" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "last_error" text;--> statement-breakpoint
ALTER TABLE "events"."outbox" ADD COLUMN "set_aside_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "outbox_pending" ON "events"."outbox" USING btree ("topic","key","position") WHERE "events"."outbox"."sent_at" IS NULL AND "events"."outbox"."set_aside_at" IS NULL;--> statement-breakpoint
CREATE INDEX "outbox_sent" ON "events"."outbox" USING btree ("sent_at") WHERE "events"."outbox"."sent_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "outbox_set_aside" ON "events"."outbox" USING btree ("position") WHERE "events"."outbox"."set_aside_at" IS NOT NULL;