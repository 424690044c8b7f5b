CREATE TABLE "admin"."approle_creations" (
	"name" text PRIMARY KEY NOT NULL,
	"creation" uuid NOT NULL,
	"until" timestamp with time zone NOT NULL
);
