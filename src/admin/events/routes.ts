import { answer, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

const access = { permission: "events-ops" };
const tags = ["Events"];
const problems = ["EVENT_NOT_FOUND_404"] as const;

export const listSetAsideEvents = route({
  access,
  method: "get",
  path: "/api/admin/events/set-aside",
  operationId: "listSetAsideEvents",
  summary: "Events that the broker refused too often, the oldest first",
  description: "Those after them have gone on. Nothing of what they say is shown.",
  tags,
  request: { query: schema.Listing },
  responses: { 200: answer("The events", schema.SetAsideEvents, { example: { events: [schema.exampleEvent], next: null } }) },
});

export const replaySetAsideEvent = route({
  access,
  method: "post",
  path: "/api/admin/events/set-aside/{id}/replay",
  operationId: "replaySetAsideEvent",
  summary: "Send an event again",
  description: "As if for the first time, under its old id. It comes after what was sent meanwhile: the order of its key is lost.",
  tags,
  request: { params: schema.SetAsideId },
  responses: { 200: answer("It will be sent", schema.EventResponse, { example: { responseCode: "EVENT_REPLAYED_200", responseMessage: "Event will be sent again" } }) },
  problems,
});

export const discardSetAsideEvent = route({
  access,
  method: "delete",
  path: "/api/admin/events/set-aside/{id}",
  operationId: "discardSetAsideEvent",
  summary: "Remove an event for good",
  tags,
  request: { params: schema.SetAsideId },
  responses: { 200: answer("Removed", schema.EventResponse, { example: { responseCode: "EVENT_DISCARDED_200", responseMessage: "Event discarded" } }) },
  problems,
});
