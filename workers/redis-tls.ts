import { readAuthority } from "./authority.ts";

/** TLS of a client of Redis, with the PEM file of who may vouch for the server; without one, the URL decides alone. Throws a SettingsError. */
export function redisTls(file: string | undefined): { tls: true; ca: string } | undefined {
  return file === undefined ? undefined : { tls: true, ca: readAuthority("REDIS_CA_FILE", file) };
}
