CREATE FUNCTION "admin"."refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Cannot change "%": the audit log is only ever appended to', TG_TABLE_NAME USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_entries_kept" BEFORE UPDATE OR DELETE OR TRUNCATE ON "admin"."audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "admin"."refuse_audit_change"();
--> statement-breakpoint
CREATE TRIGGER "audit_head_kept" BEFORE DELETE OR TRUNCATE ON "admin"."audit_head" FOR EACH STATEMENT EXECUTE FUNCTION "admin"."refuse_audit_change"();
--> statement-breakpoint
CREATE TRIGGER "audit_head_forward" BEFORE UPDATE ON "admin"."audit_head" FOR EACH ROW WHEN (NEW.name <> OLD.name OR NEW.sequence <= OLD.sequence) EXECUTE FUNCTION "admin"."refuse_audit_change"();
