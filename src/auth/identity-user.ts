import type * as z from "zod";
import type { Call } from "../http/call.ts";
import { Problem } from "../http/problem.ts";
import type { IdentityProvider } from "../identity/keycloak.ts";
import { rejection } from "../identity/rejection.ts";
import type { NewIdentityUser } from "./schema.ts";

/** Creates a user who exists at the identity provider only, such as an administrator or a technical account. */
export async function createIdentityUser(identity: IdentityProvider, call: Call, asked: z.infer<typeof NewIdentityUser>): Promise<void> {
  const { emailId, ...user } = asked;
  const creation = await identity.createUser(call, { ...user, email: emailId, enabled: true });
  switch (creation.outcome) {
    case "created":
      return;
    case "exists":
      throw new Problem("USER_ALREADY_EXISTS_409", "The user name or the e-mail is already registered");
    case "rejected":
      throw rejection(creation.field);
    case "lost":
      throw creation.problem;
  }
}
