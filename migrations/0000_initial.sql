CREATE SCHEMA "admin";
--> statement-breakpoint
CREATE SCHEMA "broker";
--> statement-breakpoint
CREATE SCHEMA "events";
--> statement-breakpoint
CREATE SCHEMA "identity";
--> statement-breakpoint
CREATE SCHEMA "secrets";
--> statement-breakpoint
CREATE SCHEMA "users";
--> statement-breakpoint
CREATE TABLE "admin"."changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"audited" jsonb NOT NULL,
	"traceparent" text NOT NULL,
	"due" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "admin"."client_creations" (
	"creation" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"due" timestamp with time zone NOT NULL,
	"until" timestamp with time zone,
	CONSTRAINT "client_creations_status" CHECK ("admin"."client_creations"."status" IN ('PENDING', 'FINISHED', 'ABANDONED'))
);
--> statement-breakpoint
CREATE TABLE "broker"."clusters" (
	"name" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "broker"."deleted_topics" (
	"id" bigint PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "broker"."partitions" (
	"topic" bigint NOT NULL,
	"partition" integer NOT NULL,
	"first_offset" bigint DEFAULT 0 NOT NULL,
	"next_offset" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "partitions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
--> statement-breakpoint
CREATE TABLE "broker"."records" (
	"topic" bigint NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"timestamp" bigint NOT NULL,
	"appended" bigint NOT NULL,
	"key" "bytea",
	"value" "bytea",
	"headers" jsonb NOT NULL,
	"size" integer NOT NULL,
	CONSTRAINT "records_topic_partition_offset_pk" PRIMARY KEY("topic","partition","offset")
);
--> statement-breakpoint
CREATE TABLE "broker"."topics" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "broker"."topics_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"collision_key" text NOT NULL,
	"is_internal" boolean NOT NULL,
	"partitions" integer NOT NULL,
	"configs" jsonb NOT NULL,
	CONSTRAINT "topics_name_unique" UNIQUE("name"),
	CONSTRAINT "topics_collision_key_unique" UNIQUE("collision_key")
);
--> statement-breakpoint
CREATE TABLE "events"."outbox" (
	"position" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "events"."outbox_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"topic" text NOT NULL,
	"type" text NOT NULL,
	"key" text NOT NULL,
	"data" jsonb NOT NULL,
	"traceparent" text,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone,
	CONSTRAINT "outbox_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "identity"."clients" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"enabled" boolean NOT NULL,
	"secret" text,
	"settings" jsonb NOT NULL,
	CONSTRAINT "clients_client_id_unique" UNIQUE("client_id")
);
--> statement-breakpoint
CREATE TABLE "identity"."composite_roles" (
	"role" uuid NOT NULL,
	"child" uuid NOT NULL,
	CONSTRAINT "composite_roles_role_child_pk" PRIMARY KEY("role","child")
);
--> statement-breakpoint
CREATE TABLE "identity"."keys" (
	"name" text PRIMARY KEY NOT NULL,
	"kid" text NOT NULL,
	"private_key" jsonb NOT NULL,
	"refresh_kid" text NOT NULL,
	"refresh_secret" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity"."revoked_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"expires" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity"."roles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"client" uuid,
	"attributes" jsonb NOT NULL,
	CONSTRAINT "roles_name_client" UNIQUE NULLS NOT DISTINCT("name","client")
);
--> statement-breakpoint
CREATE TABLE "identity"."sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user" uuid NOT NULL,
	"client" uuid NOT NULL,
	"refresh_id" text NOT NULL,
	"used_id" text,
	"is_detached" boolean NOT NULL,
	"started" bigint NOT NULL,
	"last_access" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity"."user_roles" (
	"user" uuid NOT NULL,
	"role" uuid NOT NULL,
	CONSTRAINT "user_roles_user_role_pk" PRIMARY KEY("user","role")
);
--> statement-breakpoint
CREATE TABLE "identity"."users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"email" text,
	"email_verified" boolean NOT NULL,
	"first_name" text,
	"last_name" text,
	"enabled" boolean NOT NULL,
	"created_timestamp" bigint NOT NULL,
	"required_actions" jsonb NOT NULL,
	"password" text,
	"service_account_client" uuid,
	CONSTRAINT "users_username_unique" UNIQUE("username"),
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_service_account_client_unique" UNIQUE("service_account_client")
);
--> statement-breakpoint
CREATE TABLE "secrets"."documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"path" text NOT NULL,
	"current_version" integer NOT NULL,
	"max_versions" integer NOT NULL,
	"is_cas_required" boolean NOT NULL,
	"custom_metadata" jsonb,
	"created" bigint NOT NULL,
	"updated" bigint NOT NULL,
	CONSTRAINT "documents_path_unique" UNIQUE("path")
);
--> statement-breakpoint
CREATE TABLE "secrets"."policies" (
	"name" text PRIMARY KEY NOT NULL,
	"hcl" text NOT NULL,
	"rules" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secrets"."roles" (
	"name" text PRIMARY KEY NOT NULL,
	"role_id" text NOT NULL,
	"settings" jsonb NOT NULL,
	CONSTRAINT "roles_role_id_unique" UNIQUE("role_id")
);
--> statement-breakpoint
CREATE TABLE "secrets"."seal" (
	"name" text PRIMARY KEY NOT NULL,
	"proof" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secrets"."secret_ids" (
	"role" text NOT NULL,
	"hash" text NOT NULL,
	"accessor" text NOT NULL,
	"metadata" jsonb NOT NULL,
	"created" bigint NOT NULL,
	"ttl" bigint NOT NULL,
	"expires" bigint,
	"uses_left" integer,
	"is_provisioned" boolean NOT NULL,
	CONSTRAINT "secret_ids_role_hash_pk" PRIMARY KEY("role","hash"),
	CONSTRAINT "secret_ids_accessor_unique" UNIQUE("accessor")
);
--> statement-breakpoint
CREATE TABLE "secrets"."tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"accessor" text NOT NULL,
	"role" text NOT NULL,
	"policies" jsonb NOT NULL,
	"metadata" jsonb NOT NULL,
	"created" bigint NOT NULL,
	"ttl" bigint NOT NULL,
	"expires" bigint NOT NULL,
	"ends_at_last" bigint NOT NULL,
	"uses_left" integer,
	CONSTRAINT "tokens_accessor_unique" UNIQUE("accessor")
);
--> statement-breakpoint
CREATE TABLE "secrets"."versions" (
	"document" uuid NOT NULL,
	"version" integer NOT NULL,
	"created" bigint NOT NULL,
	"deleted" bigint,
	"is_destroyed" boolean NOT NULL,
	"sealed" text,
	CONSTRAINT "versions_document_version_pk" PRIMARY KEY("document","version")
);
--> statement-breakpoint
CREATE TABLE "users"."abandoned" (
	"user_id" text PRIMARY KEY NOT NULL,
	"check_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users"."login_guards" (
	"subject" text PRIMARY KEY NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"pending" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"locked_until" timestamp with time zone,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users"."users" (
	"user_id" text PRIMARY KEY NOT NULL,
	"identity_id" text,
	"status" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"email_id" text NOT NULL,
	"email_key" text NOT NULL,
	"primary_contact_number" text NOT NULL,
	"other_contact_numbers" text[] DEFAULT '{}' NOT NULL,
	"addresses" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"security_questions" jsonb,
	"idempotency_key" text,
	"fingerprint" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"locked_at" timestamp with time zone,
	"registered_at" timestamp with time zone,
	"revision" integer DEFAULT 0 NOT NULL,
	"aligned_revision" integer DEFAULT 0 NOT NULL,
	"sync_due" timestamp with time zone,
	"is_doubtful" boolean DEFAULT false NOT NULL,
	"lease_holder" text,
	"lease_until" timestamp with time zone,
	CONSTRAINT "users_identity_id_unique" UNIQUE("identity_id"),
	CONSTRAINT "users_email_key_unique" UNIQUE("email_key"),
	CONSTRAINT "users_primary_contact_number_unique" UNIQUE("primary_contact_number"),
	CONSTRAINT "users_idempotency_key_unique" UNIQUE("idempotency_key"),
	CONSTRAINT "users_status" CHECK ("users"."users"."status" IN ('PENDING', 'ACTIVE', 'BLOCKED', 'DORMANT'))
);
--> statement-breakpoint
ALTER TABLE "broker"."partitions" ADD CONSTRAINT "partitions_topic_topics_id_fk" FOREIGN KEY ("topic") REFERENCES "broker"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."composite_roles" ADD CONSTRAINT "composite_roles_role_roles_id_fk" FOREIGN KEY ("role") REFERENCES "identity"."roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."composite_roles" ADD CONSTRAINT "composite_roles_child_roles_id_fk" FOREIGN KEY ("child") REFERENCES "identity"."roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."roles" ADD CONSTRAINT "roles_client_clients_id_fk" FOREIGN KEY ("client") REFERENCES "identity"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."sessions" ADD CONSTRAINT "sessions_user_users_id_fk" FOREIGN KEY ("user") REFERENCES "identity"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."sessions" ADD CONSTRAINT "sessions_client_clients_id_fk" FOREIGN KEY ("client") REFERENCES "identity"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."user_roles" ADD CONSTRAINT "user_roles_user_users_id_fk" FOREIGN KEY ("user") REFERENCES "identity"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."user_roles" ADD CONSTRAINT "user_roles_role_roles_id_fk" FOREIGN KEY ("role") REFERENCES "identity"."roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity"."users" ADD CONSTRAINT "users_service_account_client_clients_id_fk" FOREIGN KEY ("service_account_client") REFERENCES "identity"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secrets"."secret_ids" ADD CONSTRAINT "secret_ids_role_roles_name_fk" FOREIGN KEY ("role") REFERENCES "secrets"."roles"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secrets"."versions" ADD CONSTRAINT "versions_document_documents_id_fk" FOREIGN KEY ("document") REFERENCES "secrets"."documents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "changes_due" ON "admin"."changes" USING btree ("due");--> statement-breakpoint
CREATE UNIQUE INDEX "client_creations_pending" ON "admin"."client_creations" USING btree ("name") WHERE "admin"."client_creations"."status" = 'PENDING';--> statement-breakpoint
CREATE INDEX "client_creations_due" ON "admin"."client_creations" USING btree ("due");--> statement-breakpoint
CREATE INDEX "outbox_unsent" ON "events"."outbox" USING btree ("position") WHERE "events"."outbox"."sent_at" IS NULL;--> statement-breakpoint
CREATE INDEX "composite_roles_child" ON "identity"."composite_roles" USING btree ("child");--> statement-breakpoint
CREATE INDEX "revoked_tokens_expires" ON "identity"."revoked_tokens" USING btree ("expires");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "identity"."sessions" USING btree ("user");--> statement-breakpoint
CREATE INDEX "sessions_client" ON "identity"."sessions" USING btree ("client");--> statement-breakpoint
CREATE INDEX "sessions_last_access" ON "identity"."sessions" USING btree ("last_access");--> statement-breakpoint
CREATE INDEX "user_roles_role" ON "identity"."user_roles" USING btree ("role");--> statement-breakpoint
CREATE INDEX "secret_ids_expires" ON "secrets"."secret_ids" USING btree ("expires");--> statement-breakpoint
CREATE INDEX "tokens_expires" ON "secrets"."tokens" USING btree ("expires");--> statement-breakpoint
CREATE INDEX "abandoned_check_at" ON "users"."abandoned" USING btree ("check_at");--> statement-breakpoint
CREATE INDEX "login_guards_updated_at" ON "users"."login_guards" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "users_sync_due" ON "users"."users" USING btree ("sync_due") WHERE "users"."users"."sync_due" IS NOT NULL;