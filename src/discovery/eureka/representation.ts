import type { Entry } from "../entry.ts";
import { type Status, STATUSES } from "../instances.ts";
import type { Port } from "./registration.ts";
import { xmlMetadata, xmlOf } from "./xml.ts";

export type Format = "json" | "xml";

/** `compact` is what `X-Eureka-Accept` asks for: what a caller needs to call. */
export type Form = { format: Format; isCompact: boolean };

const EMPTY_MAP = { "@class": "java.util.Collections$EmptyMap" };

/** How many there are of each status, which clients compare with their own count: `DOWN_1_UP_2_`. */
export function hashCode(entries: readonly Entry[]): string {
  const counts = new Map<Status, number>();
  for (const { status } of entries) counts.set(status, (counts.get(status) ?? 0) + 1);
  return STATUSES.flatMap((status) => (counts.has(status) ? `${status}_${counts.get(status)}_` : [])).join("");
}

/** One instance, in the field order of Netflix's server. */
export function instanceText(entry: Entry, { format, isCompact }: Form): string {
  const instance = isCompact ? compact(entry, format) : full(entry, format);
  return format === "json" ? JSON.stringify(instance) : xmlOf({ instance });
}

export function instanceDocument(entry: Entry, format: Format): string {
  const text = instanceText(entry, { format, isCompact: false });
  return format === "json" ? `{"instance":${text}}` : text;
}

/** One application; `texts` are those of its instances. */
export function applicationDocument(app: string, texts: readonly string[], format: Format): string {
  const text = applicationText(app, texts, format);
  return format === "json" ? `{"application":${text}}` : text;
}

export type Listed = { version: number; hash: string; apps: ReadonlyMap<string, readonly string[]>; form: Form };

/** Applications with the texts of their instances. */
export function applicationsDocument({ version, hash, apps, form: { format, isCompact } }: Listed): string {
  const texts = [...apps].map(([app, texts]) => applicationText(app, texts, format));
  const emptiness = isCompact ? { registeredApplicationsEmpty: texts.length === 0 } : {};
  const head = { ...emptiness, versions__delta: String(version), apps__hashcode: hash };
  if (format === "xml") return `<applications>${xmlOf(head)}${texts.join("")}</applications>`;
  return `{"applications":{${JSON.stringify(head).slice(1, -1)},"application":[${texts.join(",")}]}}`;
}

function applicationText(app: string, texts: readonly string[], format: Format): string {
  if (format === "json") return `{"name":${JSON.stringify(app)},"instance":[${texts.join(",")}]}`;
  return `<application>${xmlOf({ name: app })}${texts.join("")}</application>`;
}

function full(entry: Entry, format: Format): object {
  const { app, id, details, status, overridden } = entry;
  const { hostName, ipAddr, port, securePort, countryId, metadata } = details;
  const optional = ["appGroupName", "homePageUrl", "statusPageUrl", "healthCheckUrl", "secureHealthCheckUrl", "vipAddress", "secureVipAddress", "asgName"] as const;
  return {
    instanceId: id,
    hostName,
    app,
    ipAddr,
    status,
    [format === "json" ? "overriddenStatus" : "overriddenstatus"]: overridden,
    port: portOf(port),
    securePort: portOf(securePort),
    countryId,
    dataCenterInfo: dataCenterOf(entry, format),
    leaseInfo: {
      renewalIntervalInSecs: entry.renewalSeconds,
      durationInSecs: entry.leaseSeconds,
      registrationTimestamp: entry.registeredAt,
      lastRenewalTimestamp: entry.renewedAt,
      evictionTimestamp: entry.gone?.at ?? 0,
      serviceUpTimestamp: entry.upAt ?? 0,
    },
    metadata: mapOf(metadata, format),
    ...Object.fromEntries(optional.flatMap((name) => (details[name] === undefined ? [] : [[name, details[name]]]))),
    isCoordinatingDiscoveryServer: String(details.isCoordinatingDiscoveryServer),
    lastUpdatedTimestamp: String(entry.updatedAt),
    lastDirtyTimestamp: String(entry.lastDirty),
    actionType: entry.action,
  };
}

function compact(entry: Entry, format: Format): object {
  const { app, id, details, status, updatedAt, action } = entry;
  const { ipAddr, vipAddress, secureVipAddress, hostName, port, securePort } = details;
  return {
    instanceId: id,
    app,
    ipAddr,
    vipAddress,
    ...(secureVipAddress !== undefined && { secureVipAddress }),
    dataCenterInfo: dataCenterOf(entry, format),
    hostName,
    status,
    lastUpdatedTimestamp: updatedAt,
    actionType: action,
    port: portOf(port),
    securePort: portOf(securePort),
  };
}

function portOf({ number, isEnabled }: Port): object {
  return { $: number, "@enabled": String(isEnabled) };
}

function dataCenterOf({ details }: Entry, format: Format): object {
  const { class: type, name, metadata } = details.dataCenterInfo;
  return { "@class": type, name, ...(metadata && { metadata: mapOf(metadata, format) }) };
}

/** Clients tell an empty map by its class. */
function mapOf(metadata: Record<string, string>, format: Format): object {
  if (Object.keys(metadata).length === 0) return EMPTY_MAP;
  return format === "json" ? metadata : xmlMetadata(metadata);
}
