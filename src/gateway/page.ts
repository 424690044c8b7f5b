import { html } from "hono/html";
import type { Health } from "../http/health.ts";

export type Link = { title: string; url: string };

export type ShownService = { id: string; name: string; health: Health };

type Page = { services: readonly ShownService[]; links: readonly Link[]; origin: string };

const STATUS = {
  UP: { word: "Up", tone: "good" },
  DOWN: { word: "Down", tone: "bad" },
  OUT_OF_SERVICE: { word: "Out of service", tone: "bad" },
  UNKNOWN: { word: "Unknown", tone: "dull" },
} as const;

const ASHA = { firstName: "Asha", lastName: "Rao", emailId: "asha.rao@example.com", password: "Correct-Horse-7-Battery" };

/** The start page: what this is, how the services are, where their descriptions are, and how to begin. */
export function page({ services, links, origin }: Page) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Gatehouse</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header>
<h1><img src="/icon.svg" alt="" width="32" height="32">Gatehouse</h1>
<p>Registers people, signs them in and keeps their profiles. This is the gateway: every call to the platform goes through this address.</p>
</header>
<main>
<section aria-labelledby="services">
<h2 id="services">Services</h2>
${summary(services)}
<ul class="services">${services.map(serviceItem)}</ul>
<p><a href="/actuator/health">Health as JSON</a> · <a href="/events.html">Events it publishes</a></p>
</section>
<section aria-labelledby="start">
<h2 id="start">Start with three calls</h2>
<p>From a terminal, or from the <a href="/swagger-ui/index.html">API documentation</a>, which sends them for you.</p>
<ol>${calls(origin).map(([title, command]) => html`<li><p>${title}</p><pre><code>${command}</code></pre></li>`)}</ol>
</section>
${links.length > 0 && html`<section aria-labelledby="more">
<h2 id="more">More</h2>
<ul>${links.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`)}</ul>
</section>`}
</main>
</body>
</html>`;
}

function summary(services: readonly ShownService[]) {
  const failing = services.filter(({ health }) => health.status !== "UP");
  if (failing.length === 0) return html`<p class="summary good">All services are up.</p>`;
  const names = failing.map(({ name }) => name).join(", ");
  return html`<p class="summary bad" role="status"><strong>Not well: ${names}.</strong> Calls that need it may fail for now; everything else works.</p>`;
}

function serviceItem({ id, name, health }: ShownService) {
  const failing = Object.entries(health.components ?? {}).filter(([, component]) => component.status !== "UP");
  const reasons = failing.map(([component, { status }]) => `${component}: ${STATUS[status].word.toLowerCase()}`);
  const { error } = health.details ?? {};
  if (typeof error === "string") reasons.unshift(error);
  const { word, tone } = STATUS[health.status];
  return html`<li>
<div><b>${sentence(name)}</b> <span class="status ${tone}">${word}</span></div>
${reasons.length > 0 && html`<p>${reasons.join(" · ")}</p>`}
<p><a href="/swagger-ui/index.html?urls.primaryName=${id}">API documentation<span class="quiet"> of the ${name}</span></a> ·
<a href="/v3/api-docs/${id}">as JSON<span class="quiet">: the API description of the ${name}</span></a></p>
</li>`;
}

/** Each works as printed in a POSIX shell, the later ones after the earlier ones. */
function calls(origin: string): [title: string, command: string][] {
  const register = json({ ...ASHA, primaryContactNumber: "9876543210" });
  const credentials = json({ username: ASHA.emailId, password: ASHA.password });
  return [
    ["Register", `curl -sS ${origin}/api/users/register ${register}`],
    ["Sign in", `TOKEN=$(curl -sS ${origin}/api/auth/authenticate ${credentials})`],
    ["See yourself", `curl -sS ${origin}/api/users/me \\\n  -H "authorization: Bearer $TOKEN"`],
  ];
}

/** curl's arguments for a JSON body, with spaces so that it breaks into lines where a reader would break it. */
function json(body: object): string {
  const text = JSON.stringify(body, null, 1).replaceAll(/\n\s*/g, " ");
  return `\\\n  -H 'content-type: application/json' \\\n  -d '${text}'`;
}

/** `text` as it begins a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
