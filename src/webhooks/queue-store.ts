import { sql } from "drizzle-orm";
import { instant } from "../database/instant.ts";
import type { Effect } from "../events/consumer-store.ts";
import { deliveries, endpoints } from "./tables.ts";

/** What may wait for one endpoint: what comes then is dropped, and counted. */
const MAX_PENDING = 5000;
/** Clocks of services differ; an endpoint gets what happened after it was made, and less than this before. */
const SKEW = sql.raw("interval '1 minute'");
/** It stands in a header and in what is signed, where a full stop would leave open what it ends. */
const SAFE_ID = "^[A-Za-z0-9_-]{1,255}$";

/** Puts each event in the queue of every endpoint that wants it. */
export const queue: Effect = ({ events, now }) => sql`
  -- Locked in order, so that neither a removal nor another reader comes in between.
  listening AS (
    SELECT id, types, created_at FROM ${endpoints}
    WHERE disabled_at IS NULL AND EXISTS (SELECT FROM ${events}) ORDER BY id FOR NO KEY UPDATE
  ), matching AS (
    SELECT listening.id AS endpoint, events.*, row_number() OVER (PARTITION BY listening.id ORDER BY events."offset") AS nth
    FROM listening JOIN ${events} AS events ON (types IS NULL OR jsonb_exists(types, events.type))
      AND events."time" > listening.created_at - ${SKEW} AND events.id ~ ${SAFE_ID}
  ), room AS (
    SELECT id AS endpoint, ${MAX_PENDING} - (
      SELECT count(*) FROM (SELECT 1 FROM ${deliveries} WHERE endpoint = listening.id AND set_aside_at IS NULL LIMIT ${MAX_PENDING}) AS pending
    ) AS room
    FROM listening WHERE id IN (SELECT endpoint FROM matching)
  ), queued AS (
    INSERT INTO ${deliveries} (endpoint, event, type, subject, "time", data, created_at, due)
    SELECT endpoint, id, type, subject, "time", data, ${instant(now)}, ${instant(now)} FROM matching JOIN room USING (endpoint)
    WHERE nth <= room ORDER BY nth
    ON CONFLICT DO NOTHING
  ), dropped AS (
    UPDATE ${endpoints} SET dropped = dropped + over.count
    FROM (SELECT endpoint, count(*)::int AS count FROM matching JOIN room USING (endpoint) WHERE nth > room GROUP BY 1) AS over
    WHERE id = over.endpoint
  )`;
