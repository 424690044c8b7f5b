import type { Fetch } from "../../http/fetch.ts";
import { instanceVerdict, onDemandVerdict, serviceVerdict, type Verdict } from "./status.ts";
import type { Instance } from "../instances.ts";
import { compare } from "../order.ts";
import type { Probe } from "./probe.ts";

/** A service of the platform that does not register itself where nothing runs between requests: it is asked instead. */
export type PlatformInstance = {
  /** Its application in the registry, such as `USER-SERVICE`. */
  app: string;
  /** Where `fetch` reaches it, without a trailing slash. */
  url: string;
  fetch: Fetch;
  /** Where people reach it; without one, the page links to none of its documents. */
  publicUrl?: string;
};

/** One place where a service runs: registered, or asked on demand. */
export type Entry = { id: string; instance?: Instance; member?: PlatformInstance };

export type Group = {
  app: string;
  title: string;
  /** Those to be shown. */
  entries: Entry[];
  /** All there are, and how many of them are up as far as the registry knows. */
  total: number;
  up: number;
};

export type Pages = { page: number; last: number };

/** What a page shows before anybody is asked; `only`: one application's instances, page by page. */
export type Selection = { platform: Group[]; applications: Group[]; pages: Pages; only?: Group; others: { applications: number; instances: number; up: number } };

export type ShownEntry = Entry & { verdict: Verdict; probe: Probe | undefined };

export type Shown = Group & { verdict: Verdict; shown: ShownEntry[] };

export const PLATFORM: readonly { app: string; title: string }[] = [
  { app: "GATEWAY", title: "Gateway" },
  { app: "USER-SERVICE", title: "User service" },
  { app: "AUTH-SERVICE", title: "Authentication service" },
  { app: "ADMIN-SERVICE", title: "Administration service" },
  { app: "CONFIG-SERVER", title: "Configuration server" },
];

const PER_APPLICATION = 5;
const APPLICATIONS_PER_PAGE = 10;
const INSTANCES_PER_PAGE = 25;

type Wanted = { platform: readonly PlatformInstance[]; now: number; page: number; application?: string };

/** Chooses what to show of `instances`: so much that everything shown can be asked how it is. */
export function select(instances: readonly Instance[], { platform, now, page, application }: Wanted): Selection {
  const byApp = Map.groupBy(instances, ({ app }) => app);
  const isOurs = new Set(PLATFORM.map(({ app }) => app));
  const grouped = (app: string, title: string) => {
    const members = platform.filter((member) => member.app === app).map((member): Entry => ({ id: "on-demand", member }));
    return group({ app, title, entries: [...members, ...living(byApp.get(app) ?? []).map((instance) => ({ id: instance.id, instance }))] }, now);
  };
  const ours = PLATFORM.map(({ app, title }) => grouped(app, title));
  const others = [...byApp.keys()].filter((app) => !isOurs.has(app)).toSorted().map((app) => grouped(app, app));
  const sum = (count: (group: Group) => number) => others.reduce((total, each) => total + count(each), 0);
  const totals = { applications: others.length, instances: sum(({ total }) => total), up: sum(({ up }) => up) };
  const only = application === undefined ? undefined : [...ours, ...others].find(({ app }) => app === application);
  const pages = only ? paged(only.total, { page, size: INSTANCES_PER_PAGE }) : paged(others.length, { page, size: APPLICATIONS_PER_PAGE });
  const from = (size: number) => (pages.page - 1) * size;
  return {
    platform: ours.map(cut),
    applications: others.slice(from(APPLICATIONS_PER_PAGE)).slice(0, APPLICATIONS_PER_PAGE).map(cut),
    pages,
    others: totals,
    ...(only && { only: { ...only, entries: only.entries.slice(from(INSTANCES_PER_PAGE)).slice(0, INSTANCES_PER_PAGE) } }),
  };
}

type Asked = { probeOf: (entry: Entry) => Probe | undefined; now: number; isAway: boolean };

/** `group` with what asking its entries led to; `isAway`: the registry could not be read. */
export function shownGroup(group: Group, { probeOf, now, isAway }: Asked): Shown {
  const shown = group.entries.map((entry) => {
    const probe = probeOf(entry);
    return { ...entry, probe, verdict: verdictOf(entry, { probe, now }) };
  });
  const fallen = shown.filter(({ verdict, ...entry }) => verdict.state !== "up" && isUpByRegistry(entry, now)).length;
  const up = group.up - fallen;
  const verdict = serviceVerdict(shown.map(({ verdict }) => verdict), { up, total: group.total });
  return { ...group, shown, up, verdict: isAway && group.total === 0 ? { state: "unknown" } : verdict };
}

function verdictOf({ instance }: Entry, on: { probe: Probe | undefined; now: number }): Verdict {
  return instance ? instanceVerdict(instance, on) : onDemandVerdict(on.probe);
}

function isUpByRegistry({ instance }: Entry, now: number): boolean {
  return !instance || instanceVerdict(instance, { probe: undefined, now }).state === "up";
}

/** Without those that signed off while others of the application are there: they are gone in good order. */
function living(instances: readonly Instance[]): Instance[] {
  const left = instances.filter(({ gone }) => gone?.reason !== "cancelled");
  return left.length > 0 ? left : [...instances];
}

/** Of many instances those come first that are not up; few keep their places whatever becomes of them. */
function group({ app, title, entries }: Pick<Group, "app" | "title" | "entries">, now: number): Group {
  const isUp = new Map(entries.map((entry) => [entry, isUpByRegistry(entry, now)]));
  const isMany = entries.length > PER_APPLICATION;
  const sorted = entries.toSorted((a, b) => (isMany ? Number(isUp.get(a)) - Number(isUp.get(b)) : 0) || compare(a.id, b.id));
  return { app, title, entries: sorted, total: entries.length, up: entries.filter((entry) => isUp.get(entry)).length };
}

function cut(group: Group): Group {
  return { ...group, entries: group.entries.slice(0, PER_APPLICATION) };
}

function paged(count: number, { page, size }: { page: number; size: number }): Pages {
  const last = Math.max(1, Math.ceil(count / size));
  return { page: Math.min(Math.max(1, page), last), last };
}
