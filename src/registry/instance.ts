import * as z from "zod";
import { DOCUMENT_PATH, VERSION } from "../http/documents.ts";
import { isRefusedHost } from "./address.ts";

/** An instance as the registry tells of it. */
export type Registered = {
  id: string;
  status: string;
  /** Base URL without a trailing slash; undefined where the instance names none that may be called. */
  url: string | undefined;
};

/** What a service says of itself. */
export type Registrant = {
  /** Such as `user-service`; the registry keeps it in upper case. */
  name: string;
  hostName: string;
  ipAddr: string;
  port: number;
  isSecure?: boolean;
};

const LEASE = { renewalIntervalInSecs: 30, durationInSecs: 90 };
const HOST = /^[A-Za-z0-9._-]{1,253}$/;

/** Spring's clients send booleans and numbers, Netflix's send both as text. */
const PortSchema = z
  .object({ $: z.union([z.int(), z.string().regex(/^\d{1,5}$/).transform(Number)]), "@enabled": z.union([z.boolean(), z.string()]) })
  .transform(({ $: port, "@enabled": enabled }) => (String(enabled) === "true" && port > 0 && port <= 65_535 ? port : undefined));

export const InstanceSchema = z
  .object({
    instanceId: z.string().optional(),
    hostName: z.string(),
    ipAddr: z.string().optional(),
    status: z.string(),
    port: PortSchema.optional(),
    securePort: PortSchema.optional(),
  })
  .transform(({ instanceId, hostName, ipAddr, status, port, securePort }): Registered => {
    const url = baseUrl(hostName || (ipAddr ?? ""), { port, securePort });
    return { id: instanceId ?? hostName, status, url };
  });

/** As Spring's `EurekaServiceInstance` has it: by name before address, and securely where the instance offers that. */
function baseUrl(host: string, { port, securePort }: { port: number | undefined; securePort: number | undefined }): string | undefined {
  const isNamed = HOST.test(host);
  if ((!isNamed && !host.includes(":")) || (port ?? securePort) === undefined) return undefined;
  const text = `${securePort === undefined ? "http" : "https"}://${isNamed ? host : `[${host}]`}:${securePort ?? port}`;
  if (!URL.canParse(text)) return undefined;
  const { hostname, origin } = new URL(text);
  return isRefusedHost(hostname) ? undefined : origin;
}

/** As Spring names an instance by default: host, application and port. */
export function instanceId({ hostName, name, port }: Registrant): string {
  return `${hostName}:${name}:${port}`;
}

/** The body of a registration, with the fields that Spring Cloud's client sends. */
export function registrationBody(registrant: Registrant, { status, at }: { status: "UP" | "DOWN"; at: number }) {
  const { name, hostName, ipAddr, port, isSecure = false } = registrant;
  const home = `${isSecure ? "https" : "http"}://${hostName.includes(":") ? `[${hostName}]` : hostName}:${port}`;
  return {
    instance: {
      instanceId: instanceId(registrant),
      app: name.toUpperCase(),
      ipAddr,
      hostName,
      status,
      overriddenStatus: "UNKNOWN",
      port: { $: port, "@enabled": String(!isSecure) },
      securePort: { $: isSecure ? port : 443, "@enabled": String(isSecure) },
      vipAddress: name,
      secureVipAddress: name,
      homePageUrl: `${home}/`,
      statusPageUrl: `${home}/actuator/info`,
      healthCheckUrl: `${home}/actuator/health`,
      countryId: 1,
      dataCenterInfo: { "@class": "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo", name: "MyOwn" },
      leaseInfo: LEASE,
      metadata: { version: VERSION, documents: DOCUMENT_PATH, "management.port": String(port) },
      lastUpdatedTimestamp: at,
      lastDirtyTimestamp: at,
    },
  };
}
