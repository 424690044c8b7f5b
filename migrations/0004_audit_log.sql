CREATE TABLE "admin"."audit_entries" (
	"sequence" bigint PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" text,
	"client" text,
	"action" text NOT NULL,
	"resource" text,
	"outcome" text NOT NULL,
	"code" text,
	"request_id" text,
	"previous" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "admin"."audit_head" (
	"name" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "audit_entries_id" ON "admin"."audit_entries" USING btree ("id");--> statement-breakpoint
CREATE INDEX "audit_entries_at" ON "admin"."audit_entries" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_entries_actor" ON "admin"."audit_entries" USING btree ("actor","sequence");--> statement-breakpoint
CREATE INDEX "audit_entries_action" ON "admin"."audit_entries" USING btree ("action","sequence");--> statement-breakpoint
CREATE INDEX "audit_entries_outcome" ON "admin"."audit_entries" USING btree ("outcome","sequence");--> statement-breakpoint
CREATE INDEX "audit_entries_resource" ON "admin"."audit_entries" USING btree (left(resource, 255),"sequence");