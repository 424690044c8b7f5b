import { toBase64 } from "./base64.ts";
import { parseHash } from "./password.ts";

/** A stored password as an entry of `credentials` in Keycloak's UserRepresentation, as its realm import takes it. */
export function keycloakCredential(stored: string) {
  const { salt, key, iterations, rounds } = parseHash(stored);
  if (rounds !== 1) throw new Error("Cannot export a hash of several rounds: Keycloak has only one");
  return {
    type: "password",
    secretData: JSON.stringify({ value: toBase64(key), salt: toBase64(salt), additionalParameters: {} }),
    credentialData: JSON.stringify({ hashIterations: iterations, algorithm: "pbkdf2-sha256", additionalParameters: {} }),
  };
}
