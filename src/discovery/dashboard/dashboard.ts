import type { Context, Hono } from "hono";
import type { Call } from "../../http/call.ts";
import type { Fetch } from "../../http/fetch.ts";
import type { Sharing } from "../../http/held-token.ts";
import { describe, type Log } from "../../http/log.ts";
import { isForLoopback } from "../../http/loopback.ts";
import { problemIn } from "../../http/problem.ts";
import type { ShellEnv } from "../../http/shell.ts";
import { ICON } from "../../pages/style.ts";
import type { Instance } from "../instances.ts";
import { dashboardPage, lockedPage, type Page } from "./page.ts";
import { type Probe, prober, type Target } from "./probe.ts";
import { probeTarget } from "./probe-target.ts";
import { SCRIPT } from "./script.ts";
import { DASHBOARD_STYLE } from "./style.ts";
import { type Entry, type PlatformInstance, select, shownGroup } from "./view.ts";

export type DashboardNeeds = Sharing & {
  /** Everything registered, and what was until lately. */
  instances: () => Promise<readonly Instance[]>;
  /** The platform's own services that do not register themselves; empty where they do. */
  platform: readonly PlatformInstance[];
  /** How registered instances are reached to ask for their health. */
  network: Fetch;
  log: Log;
  /** Only this machine can reach the process: the page needs no credential. */
  isLoopback: boolean;
  /** Judges an `Authorization` header. */
  verify: (header: string | undefined) => Promise<boolean>;
  /** The user name with which services register. */
  username: string;
};

/** What the dashboard loads, for the shell's policy. */
export const DASHBOARD_POLICY = { styleSrc: ["'self'"], imgSrc: ["'self'"], scriptSrc: ["'self'"], connectSrc: ["'self'"] };

/** Milliseconds after which no further instance is asked: the page comes with what is known by then. */
const PROBING_MS = 2500;
const CHALLENGE = 'Basic realm="Gatehouse discovery", charset="UTF-8"';

/** Mounts the page of what is registered, and how it is. */
export function dashboard(app: Hono<ShellEnv>, needs: DashboardNeeds): void {
  const { isLoopback, verify, now } = needs;
  const probing = prober(needs);

  app.get("/", async (c) => {
    c.header("cache-control", "no-store");
    const url = new URL(c.req.url);
    const isOpen = isLoopback && isForLoopback(c.req.raw);
    if (!isOpen && !(await verify(c.req.header("authorization")))) return c.html(lockedPage(), 401, { "www-authenticate": CHALLENGE });
    const asked = now();
    const instances = await read(needs, c);
    const isAway = instances === undefined;
    const { only, platform, applications, ...rest } = select(instances ?? [], { platform: needs.platform, now: asked, ...wanted(url) });
    const entries = [...platform, ...(only ? [only] : applications)].flatMap((group) => group.entries);
    const probes = await probeAll(entries, { ask: probing(), call: c.get("call"), needs });
    const shown = (group: (typeof platform)[number]) => shownGroup(group, { probeOf: (entry) => probes.get(entry), now: now(), isAway });
    const page: Page = {
      ...rest,
      platform: platform.map(shown),
      applications: only ? [] : applications.map(shown),
      ...(only && { only: shown(only) }),
      now: now(),
      isAway,
      registerAt: `${url.protocol}//${needs.username}:<password>@${url.host}/eureka/`,
    };
    return c.html(dashboardPage(page), isAway ? 503 : 200);
  });

  app.get("/dashboard.js", (c) => c.body(SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8", "cache-control": "max-age=300" }));
  app.get("/style.css", (c) => c.body(DASHBOARD_STYLE, 200, { "content-type": "text/css; charset=utf-8", "cache-control": "max-age=300" }));
  app.get("/icon.svg", (c) => c.body(ICON, 200, { "content-type": "image/svg+xml", "cache-control": "max-age=86400" }));
}

function wanted(url: URL): { page: number; application?: string } {
  const page = url.searchParams.get("page") ?? "";
  const application = url.searchParams.get("application");
  return { page: /^\d{1,6}$/.test(page) ? Number(page) : 1, ...(application !== null && { application }) };
}

/** Undefined where the registry is away: a page that says so is more use than a problem. */
async function read({ instances, log }: DashboardNeeds, c: Context<ShellEnv>): Promise<readonly Instance[] | undefined> {
  try {
    return await instances();
  } catch (error) {
    const problem = problemIn(error);
    if (!problem) throw error;
    const { requestId, traceId } = c.get("call");
    log({ level: "warn", service: "discovery-service", message: "Cannot read the registry", requestId, traceId, code: problem.code, error: describe(problem) });
    return undefined;
  }
}

type Asking = { ask: ReturnType<ReturnType<typeof prober>>; call: Call; needs: DashboardNeeds };

async function probeAll(entries: readonly Entry[], { ask, call, needs }: Asking): Promise<Map<Entry, Probe | undefined>> {
  const { network, now } = needs;
  const bounded = { ...call, deadline: Math.min(call.deadline, now() + PROBING_MS) };
  const probes = entries.map(async (entry): Promise<[Entry, Probe | undefined]> => {
    const target = targetOf(entry, network);
    return [entry, target && (await ask(target, bounded))];
  });
  return new Map(await Promise.all(probes));
}

function targetOf({ instance, member }: Entry, network: Fetch): Target | undefined {
  if (member) return { key: member.app, url: new URL(`${member.url}/actuator/health`), fetch: member.fetch };
  const url = instance?.gone ? undefined : probeTarget(instance?.healthCheckUrl);
  return url && { key: url.href, url, fetch: network };
}
