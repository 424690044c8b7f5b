import { httpUrl } from "../http-url.ts";
import { bounded, int32, isObject, number, type Refuse, text } from "./fields.ts";
import { metadataOf } from "./metadata.ts";
import type { Details, Port } from "./registration.ts";

/** As clients know it; `MyDataCenterInfo` is the same class by its own name. */
const DEFAULT_DATA_CENTER = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";
const MY_DATA_CENTER = "com.netflix.appinfo.MyDataCenterInfo";
const AMAZON = "com.netflix.appinfo.AmazonInfo";
const DATA_CENTERS = new Set<unknown>(["Netflix", "Amazon", "MyOwn"]);

const MAX_HOST = 255;
const MAX_VIP = 1024;
const MAX_NAME = 256;
const MAX_URL = 2048;
const MAX_PORT = 65_535;

/** In this order, which is Netflix's: what cannot be read at all comes first. */
export function detailsOf(instance: Record<string, unknown>, refuse: Refuse): Details {
  const app = instance["app"];
  if (typeof app !== "string") throw refuse.unreadable();
  const dataCenterInfo = dataCenterIn(instance["dataCenterInfo"], refuse);
  const port = portIn(instance["port"], { otherwise: { number: 7001, isEnabled: true }, refuse });
  const securePort = portIn(instance["securePort"], { otherwise: { number: 7002, isEnabled: false }, refuse });
  if (!instance["instanceId"] && !instance["hostName"]) throw refuse.missing("instanceId");
  if (!instance["hostName"]) throw refuse.missing("hostname");
  if (!instance["ipAddr"]) throw refuse.missing("ip address");
  if (app === "") throw refuse.missing("appName");
  if (!dataCenterInfo) throw refuse.missing("dataCenterInfo");
  if (!dataCenterInfo.name) throw refuse.missing("dataCenterInfo Name");

  const line = (name: string, max: number): string | undefined => {
    const value = instance[name];
    if (value === undefined || value === null || value === "") return undefined;
    const given = bounded(value, max);
    if (given === undefined) throw refuse.field(name);
    return given;
  };
  // One that no page may link to is left out: the instance itself can still be found.
  const address = (name: string) => {
    const given = bounded(instance[name], MAX_URL);
    return httpUrl(given) && given;
  };
  return given({
    hostName: line("hostName", MAX_HOST)!,
    ipAddr: line("ipAddr", MAX_HOST)!,
    port,
    securePort,
    countryId: int32(instance["countryId"]) ?? 1,
    dataCenterInfo: { ...dataCenterInfo, name: dataCenterInfo.name },
    // Clients look an application up by this address: without one it would be registered and never found.
    vipAddress: line("vipAddress", MAX_VIP) ?? app.toLowerCase(),
    secureVipAddress: line("secureVipAddress", MAX_VIP),
    isCoordinatingDiscoveryServer: text(instance["isCoordinatingDiscoveryServer"]) === "true",
    metadata: metadataOf(instance["metadata"], refuse),
    appGroupName: line("appGroupName", MAX_NAME),
    asgName: line("asgName", MAX_NAME),
    homePageUrl: address("homePageUrl"),
    statusPageUrl: address("statusPageUrl"),
    healthCheckUrl: address("healthCheckUrl"),
    secureHealthCheckUrl: address("secureHealthCheckUrl"),
  });
}

type DataCenter = { class: string; name: string | undefined; metadata?: Record<string, string> };

function dataCenterIn(value: unknown, refuse: Refuse): DataCenter | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw refuse.unreadable();
  const { "@class": type, name, metadata } = value;
  if (name !== undefined && name !== null && !DATA_CENTERS.has(name)) throw refuse.unreadable();
  if (type === DEFAULT_DATA_CENTER || type === MY_DATA_CENTER) return { class: DEFAULT_DATA_CENTER, name: (name as string | null) ?? undefined };
  // Clients cannot read one of Amazon's without its metadata.
  if (type !== AMAZON || !isObject(metadata)) throw refuse.unreadable();
  return { class: AMAZON, name: "Amazon", metadata: metadataOf(metadata, refuse) };
}

function portIn(value: unknown, { otherwise, refuse }: { otherwise: Port; refuse: Refuse }): Port {
  if (value === undefined || value === null) return otherwise;
  if (!isObject(value)) throw refuse.unreadable();
  const { $: port, "@enabled": enabled } = value;
  const given = port === undefined || port === null ? otherwise.number : number(port);
  if (given === undefined || given < 0 || given > MAX_PORT) throw refuse.unreadable();
  return { number: given, isEnabled: enabled === undefined ? otherwise.isEnabled : text(enabled) === "true" };
}

/** `fields` without those that are not there. */
function given(fields: { [Name in keyof Details]: Details[Name] | undefined }): Details {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Details;
}
