import type { Table } from "../finding.ts";
import { reachFindings } from "./reach.ts";

/** Of the platform's own services, here and elsewhere; `{name}` is what people call one. */
export const servicesFindings = {
  ...reachFindings,
  up: { check: "services", status: "ok", sentence: "{name}: up at {url}" },
  down: { check: "services", status: "error", sentence: "{name}: {status} at {url}{components}", remedy: "Mend what is named above for these; then look at the log of the {name} for the causes" },
  stranger: { check: "services", status: "error", sentence: "{name}: something else answers at {url}", remedy: "Correct {setting}, or end what has the port" },
  neighbour: { check: "services", status: "error", sentence: "{name}: nothing answers at {url}, and it does not run here", remedy: "Start it there, correct {setting}, or add it to SERVICES" },

  registry: { check: "registry", status: "ok", sentence: "{url} accepts the credential in DISCOVERY_URL" },
  "registry-open": { check: "registry", status: "ok", sentence: "{url} asks for no credential" },
  "registry-refused": { check: "registry", status: "error", sentence: "{url} does not accept the credential in DISCOVERY_URL", remedy: "Put DISCOVERY_USERNAME and DISCOVERY_PASSWORD of the registry into DISCOVERY_URL, percent-encoded" },
  "registry-odd": { check: "registry", status: "error", sentence: "{url} answers {status} where a registry has its applications", remedy: "DISCOVERY_URL ends in /eureka: http://user:password@host:8761/eureka" },
  "registry-away": { check: "registry", status: "error", sentence: "No registry answers at {url}", remedy: "Start it, or correct DISCOVERY_URL" },
  configuration: { check: "configuration", status: "ok", sentence: "{url} gives the configuration of {applications}" },
  "configuration-broken": { check: "configuration", status: "error", sentence: "{reason}", remedy: "Correct CONFIG_URL (http://user:password@host:8888, percent-encoded), CONFIG_PROFILE, or the file that is named" },
  "configuration-realm": { check: "configuration", status: "error", sentence: "The configuration of {application} names another realm than the environment", remedy: "Set IDENTITY_REALM in the environment, for all services" },
  public: { check: "public url", status: "ok", sentence: "PUBLIC_URL leads to the gateway" },
  "public-away": { check: "public url", status: "warning", sentence: "PUBLIC_URL does not lead to the gateway from here ({why})", remedy: "Open {url}/actuator/health from outside; correct PUBLIC_URL or the proxy if that is no gateway" },
} as const satisfies Table;
