import { type Status, STATUSES } from "../instances.ts";
import { detailsOf } from "./details.ts";
import { bounded, isObject, number, type Refuse, text } from "./fields.ts";

export type Port = { number: number; isEnabled: boolean };

/** What an instance says of itself, checked: every field is one that all clients know, printable and bounded. */
export type Details = {
  hostName: string;
  ipAddr: string;
  port: Port;
  securePort: Port;
  countryId: number;
  dataCenterInfo: { class: string; name: string; metadata?: Record<string, string> };
  vipAddress: string;
  isCoordinatingDiscoveryServer: boolean;
  metadata: Record<string, string>;
  appGroupName?: string;
  homePageUrl?: string;
  statusPageUrl?: string;
  healthCheckUrl?: string;
  secureHealthCheckUrl?: string;
  secureVipAddress?: string;
  asgName?: string;
};

export type Registration = {
  app: string;
  id: string;
  details: Details;
  /** The instance's own word. */
  status: Status;
  overridden: Status;
  renewalSeconds: number;
  leaseSeconds: number;
  /** The client's own count of changes, a time in milliseconds; undefined: it does not count. */
  lastDirty: number | undefined;
};

const RENEWAL_SECONDS = 30;
const LEASE_SECONDS = 90;
/** A lease that hardly ends is an instance that never goes. */
const MAX_LEASE_SECONDS = 86_400;
const MAX_ID = 512;
const MAX_APP = 256;
/** Its path is that of the changes. */
const RESERVED_APP = "DELTA";

/** The registration in `body`, which names `app` in its path; throws what `refuse` makes of the first mistake. */
export function registrationIn(body: unknown, { app, refuse }: { app: string; refuse: Refuse }): Registration {
  const instance = isObject(body) ? body["instance"] : undefined;
  if (!isObject(instance)) throw refuse.unreadable();
  const details = detailsOf(instance, refuse);
  const named = checkedApp(instance["app"], { app, refuse });
  const id = bounded(instance["instanceId"] || instance["hostName"], MAX_ID);
  if (id === undefined || !isAddressable(id)) throw refuse.field("instanceId");
  const lease = isObject(instance["leaseInfo"]) ? instance["leaseInfo"] : {};
  return {
    app: named,
    id,
    details,
    status: statusIn(instance["status"] ?? "UP", refuse),
    overridden: statusIn(instance["overriddenStatus"] ?? instance["overriddenstatus"] ?? "UNKNOWN", refuse),
    renewalSeconds: seconds(lease["renewalIntervalInSecs"], { otherwise: RENEWAL_SECONDS, refuse }),
    leaseSeconds: seconds(lease["durationInSecs"], { otherwise: LEASE_SECONDS, refuse }),
    lastDirty: isAbsent(instance["lastDirtyTimestamp"]) ? undefined : timestamp(instance["lastDirtyTimestamp"], refuse),
  };
}

/** Upper case, as the registry keeps names of applications. */
export function appKey(app: string): string {
  return app.toUpperCase();
}

/** The status that `word` is; undefined for any other word. */
export function statusOf(word: string | undefined): Status | undefined {
  return STATUSES.find((status) => status === word);
}

function checkedApp(given: unknown, { app, refuse }: { app: string; refuse: Refuse }): string {
  const name = bounded(given, MAX_APP);
  if (name === undefined || !isAddressable(name)) throw refuse.field("app");
  const [expected, found] = [appKey(app), appKey(name)];
  if (expected !== found) throw refuse.sentence(`Mismatched appName, expecting ${expected} but was ${found}`);
  if (found === RESERVED_APP) throw refuse.field("app");
  return found;
}

/** Whether a path can name it: many servers and proxies let no encoded slash through. */
function isAddressable(name: string): boolean {
  return !name.includes("/") && !/^\.{1,2}$/.test(name);
}

function statusIn(value: unknown, refuse: Refuse): Status {
  if (typeof value !== "string") throw refuse.unreadable();
  return statusOf(value) ?? "UNKNOWN";
}

function seconds(value: unknown, { otherwise, refuse }: { otherwise: number; refuse: Refuse }): number {
  if (isAbsent(value)) return otherwise;
  const given = number(value);
  if (given === undefined) throw refuse.unreadable();
  return given <= 0 ? otherwise : Math.min(given, MAX_LEASE_SECONDS);
}

function timestamp(value: unknown, refuse: Refuse): number {
  const given = number(value);
  if (given === undefined || given < 0) throw refuse.unreadable();
  return given;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || text(value) === "";
}
