import { answer, route } from "../../http/route.ts";
import * as schema from "./schema.ts";

export const createInterServiceClient = route({
  access: { permission: "create-client" },
  method: "post",
  path: "/api/admin/inter-service-clients",
  operationId: "createInterServiceClient",
  summary: "Create a client for a service",
  description:
    "A confidential client with a service account and no standard flow; the account has the realm role `INTERNAL_SERVICE`, " +
    "so that a token of the client (`grant_type=client_credentials`) is let in to `/internal/**`. All or nothing: what fails " +
    "halfway is undone. The secret is answered once; whoever loses it deletes the client at the identity provider.",
  tags: ["Clients"],
  request: { query: schema.NewClient },
  responses: { 200: answer("Created", schema.Client, { example: schema.exampleClient }) },
  problems: ["IDP_CLIENT_ALREADY_EXISTS_409", "IDP_CLIENT_CREATION_FAILED_502"],
});
