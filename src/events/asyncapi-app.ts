import type { Hono } from "hono";
import { VERSION } from "../http/documents.ts";
import type { ShellEnv } from "../http/shell.ts";
import { asyncApi } from "./asyncapi.ts";
import { eventsPage } from "./asyncapi-page.ts";

/** The events that `source` publishes, or all, at `/asyncapi.json`. */
export function serveAsyncApi(app: Hono<ShellEnv>, about: { title: string; source?: string }): void {
  let text: string | undefined;
  app.get("/asyncapi.json", (c) => {
    text ??= JSON.stringify(asyncApi({ ...about, version: VERSION }));
    return c.body(text, 200, { "content-type": "application/json" });
  });
}

/** All events, for people, at `/events.html`; its style and icon are the caller's. */
export function serveEventsPage(app: Hono<ShellEnv>): void {
  app.get("/events.html", (c) => c.html(eventsPage()));
}
