import type { Env, Hono } from "hono";
import { Refusal } from "./refusal.ts";

/** Answers every method that a known path does not have with 405; called after the last route. */
export function refuseOtherMethods<E extends Env>(app: Hono<E>): Hono<E> {
  for (const path of new Set(app.routes.filter(({ method }) => method !== "ALL").map((route) => route.path))) {
    app.all(path, () => {
      throw new Refusal(405, { error: "HTTP 405 Method Not Allowed" });
    });
  }
  return app;
}
