INSERT INTO "events"."outbox" ("id", "topic", "type", "key", "data", "traceparent", "created_at")
	SELECT "id", 'platform.audit', 'admin.called', "audited"->>'caller', "audited" || '{"outcome": "unknown", "code": null}', "traceparent", "due" FROM "admin"."changes" ON CONFLICT ("id") DO NOTHING;--> statement-breakpoint
DROP TABLE "admin"."changes" CASCADE;
