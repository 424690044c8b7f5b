import * as z from "zod";
import { credentialUrl } from "../../http/credential-url.ts";
import { pause } from "../../http/pause.ts";
import { type Answer, jsonOf, type Outcome } from "../../http/upstream.ts";
import { askOf, type Outside } from "../client.ts";
import { type Finding, type Findings, findingsOf, notChecked } from "../finding.ts";
import { servicesFindings } from "../findings/services.ts";
import { answerOf, shownUrl } from "../reach.ts";

const SYSTEM = "services";
const found = findingsOf(SYSTEM, servicesFindings);

export type ServicePlace = {
  /** As people call it. */
  name: string;
  url: string;
  setting: string;
  /** Whether it runs in the process that these settings start: that need not be running now. */
  isOwn: boolean;
};

/** What the configuration server has for one application, or why it cannot be read. */
export type Configured = { application: string; reason?: string; isOtherRealm?: boolean };

export type ServicesNeeds = Outside & {
  places: readonly ServicePlace[];
  registry: { url: string; isOwn: boolean } | undefined;
  configuration: { url: string; isOwn: boolean; of: readonly Configured[] } | undefined;
  publicUrl: string | undefined;
};

const AGAIN_AFTER_MS = 2000;

const HealthSchema = z.object({ status: z.string(), components: z.record(z.string(), z.object({ status: z.string() })).optional() });

/** How the platform's own services are, where they are up, and whether they accept each other's credentials. */
export async function* servicesChecks({ places, registry, configuration, publicUrl, ...outside }: ServicesNeeds): Findings {
  const ended: string[] = [];
  // In turn: each asks its neighbours how they are, who are to have the time to say so.
  for (const place of places) {
    const finding = await serviceFinding(place, outside);
    if (finding) yield finding;
    else ended.push(`${place.name} (${shownUrl(place.url)})`);
  }
  if (ended.length > 0) yield notChecked(SYSTEM, "services", `Not running now: ${ended.join(", ")}`);
  if (registry) yield* await registryFindings(registry, outside);
  if (configuration) yield* configurationFindings(configuration);
  if (publicUrl !== undefined) yield await publicFinding(publicUrl, outside);
  return undefined;
}

/** Undefined for a service of this process while that is not running. */
async function serviceFinding(place: ServicePlace, outside: Outside): Promise<Finding | undefined> {
  const { name, setting, isOwn } = place;
  const url = shownUrl(place.url);
  const ask = askOf({ name, url: place.url }, outside);
  const first = await ask({ method: "GET", path: "/actuator/health" });
  const isDown = !["UP", undefined].includes(healthIn(first)?.status);
  // Whoever was busy for a moment tells it for a second.
  const outcome = isDown ? await later(() => ask({ method: "GET", path: "/actuator/health" })) : first;
  const health = healthIn(outcome);
  if (health?.status === "UP") return found("up", { name, url });
  if (health) return found("down", { name, url, status: health.status, components: componentsOf(health.components) });
  const { fault: away } = answerOf({ system: SYSTEM, setting, url: place.url }, outcome);
  if (!away) return found("stranger", { name, url, setting });
  if (!isOwn) return found("neighbour", { name, url, setting });
  if (away.code === "refused") return undefined;
  return { ...away, check: "services", sentence: `${name}: ${away.sentence}` };
}

async function later<T>(work: () => Promise<T>): Promise<T> {
  await pause(AGAIN_AFTER_MS);
  return work();
}

function healthIn(outcome: Outcome): z.infer<typeof HealthSchema> | undefined {
  return outcome.kind === "answer" ? HealthSchema.safeParse(jsonOf(outcome.text)).data : undefined;
}

function componentsOf(components: Record<string, { status: string }> = {}): string {
  const down = Object.entries(components).filter(([, { status }]) => status !== "UP").map(([name]) => name);
  return down.length > 0 ? `, for ${down.join(", ")}` : "";
}

async function registryFindings({ url: urls, isOwn }: { url: string; isOwn: boolean }, outside: Outside): Promise<Finding[]> {
  return Promise.all(
    urls.split(",").map(async (one) => {
      const { url, authorization } = credentialUrl(one.trim());
      const ask = askOf({ name: "registry", url, headers: authorization === undefined ? {} : { authorization } }, outside);
      const outcome = await ask({ method: "GET", path: "/apps/GATEHOUSE-DOCTOR" });
      const { answer, fault: away } = answerOf({ system: SYSTEM, setting: "DISCOVERY_URL", url }, outcome);
      if (away?.code === "refused" && isOwn) return notChecked(SYSTEM, "registry", `Not running at ${url} now`);
      return away ? found("registry-away", { url }) : registryFinding(answer, { url, hasCredential: authorization !== undefined });
    }),
  );
}

/** A registry answers 404 for an application that nobody has registered, without a word or with little. */
function registryFinding({ status, text }: Answer, { url, hasCredential }: { url: string; hasCredential: boolean }): Finding {
  if (status === 401 || status === 403) return found("registry-refused", { url });
  const isRegistry = status === 200 || (status === 404 && !/<html/i.test(text) && /\/eureka(\/v2)?$/.test(url));
  if (!isRegistry) return found("registry-odd", { url, status });
  return found(hasCredential ? "registry" : "registry-open", { url });
}

function configurationFindings({ url: given, isOwn, of }: NonNullable<ServicesNeeds["configuration"]>): Finding[] {
  const { url } = credentialUrl(given);
  if (isOwn && of.every(({ reason }) => reason !== undefined)) return [notChecked(SYSTEM, "configuration", `Not running at ${url} now`)];
  // What is wrong for all alike is said of one of them.
  const reasons = new Map(of.toReversed().flatMap(({ application, reason }) => (reason === undefined ? [] : [[reason.replaceAll(application, ""), reason]])));
  const broken = [...reasons.values()].map((reason) => found("configuration-broken", { reason }));
  const realms = of.filter(({ isOtherRealm }) => isOtherRealm).map(({ application }) => found("configuration-realm", { application }));
  const fine = of.filter(({ reason }) => reason === undefined).map(({ application }) => application);
  return [...broken, ...realms, ...(fine.length > 0 ? [found("configuration", { url, applications: fine.join(", ") })] : [])];
}

async function publicFinding(url: string, outside: Outside): Promise<Finding> {
  const outcome = await askOf({ name: "gateway", url }, outside)({ method: "GET", path: "/actuator/health" });
  if (healthIn(outcome)) return found("public");
  const { fault: away } = answerOf({ system: SYSTEM, setting: "PUBLIC_URL", url }, outcome);
  return found("public-away", { url, why: away?.sentence ?? "something else answers" });
}
