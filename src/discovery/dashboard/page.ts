import { html, raw } from "hono/html";
import { instanceItem } from "./instance.ts";
import { type Rendered, stateMark } from "./state.ts";
import { summary } from "./summary.ts";
import { counted, number, visible } from "./text.ts";
import type { Pages, Selection, Shown } from "./view.ts";

export type Page = Pick<Selection, "pages" | "others"> & {
  platform: Shown[];
  applications: Shown[];
  /** Given where the page is about this application alone. */
  only?: Shown;
  now: number;
  /** The registry could not be read. */
  isAway: boolean;
  /** What a Spring service needs to register here, without the password. */
  registerAt: string;
};

/** The dashboard: how the platform is at a glance, then each of its services, then whatever else has registered. */
export function dashboardPage(page: Page): Rendered {
  const { only, now, isAway } = page;
  const { tone, text, title } = summary(page.platform, { isAway });
  const exact = new Date(now).toISOString();
  return documentOf(`${title} · Gatehouse discovery`, {
    hasScript: true,
    main: html`<main tabindex="-1"${isAway && raw(" data-away")}>
<p class="updated"><span>${isAway ? "Tried" : "Updated"} <time data-clock datetime="${exact}">${exact.slice(11, 19)} UTC</time></span> <a id="refresh" href="${here(page)}">Refresh</a></p>
<p class="summary ${tone}">${text}</p>
${only ? application(only, page) : overview(page)}
</main>`,
  });
}

/** What a caller sees who was asked for the credential and has none. */
export function lockedPage(): Rendered {
  return documentOf("Sign in · Gatehouse discovery", {
    hasScript: false,
    main: html`<main>
<p class="summary bad"><strong>Sign in to see the registry.</strong> Its user name and password are those in the URL with which services register.</p>
<p><a href="/">Try again</a></p>
</main>`,
  });
}

function documentOf(title: string, { main, hasScript }: { main: Rendered; hasScript: boolean }): Rendered {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
${hasScript && html`<script src="/dashboard.js" defer></script>`}
</head>
<body>
<header>
<h1><img src="/icon.svg" alt="" width="32" height="32">Gatehouse <span>discovery</span></h1>
<p>What runs where, and how it is: the platform’s services, and every other that has registered here.</p>
</header>
<p id="stale" class="summary bad" role="status"></p>
<p id="changes" class="quiet" aria-live="polite"></p>
${main}
</body>
</html>`;
}

function overview(page: Page): Rendered {
  const { platform, applications, others, pages, isAway, registerAt } = page;
  return html`
<section id="services" aria-labelledby="platform">
<h2 id="platform">Platform</h2>
<ul class="registry">${platform.map((service) => serviceItem(service, page))}</ul>
</section>
<section id="rest" aria-labelledby="others">
<h2 id="others">Other applications</h2>
${others.applications > 0 && html`<p class="aside">${counted(others.applications, "application")} with ${counted(others.instances, "instance")}, ${others.up === others.instances ? "all" : number(others.up)} up by their heartbeats.</p>
<ul class="registry">${applications.map((service) => serviceItem(service, page))}</ul>
${pager(pages, "")}`}
${others.applications === 0 && (isAway ? html`<p class="aside">What else is registered can be seen when the registry answers again.</p>` : empty(registerAt))}
</section>`;
}

function application(service: Shown, page: Page): Rendered {
  return html`
<section id="application" aria-labelledby="name">
<p><a href="/">All applications</a></p>
<h2 id="name">Instances of ${visible(service.title)}</h2>
<p class="aside">${counted(service.total, "instance")}, ${number(service.up)} up. Those whose heartbeats say otherwise come first.</p>
<ul class="registry">${serviceItem(service, page)}</ul>
${pager(page.pages, `application=${encodeURIComponent(service.app)}&`)}
</section>`;
}

function serviceItem(service: Shown, { now, only }: Page): Rendered {
  const { app, title, shown, total, up, verdict } = service;
  const isAlone = total <= 1;
  const word = verdict.state === "part" ? `${number(up)} of ${number(total)} up` : undefined;
  const items = shown.map((entry) => ({ entry, item: instanceItem(entry, { title, now, isAlone }) }));
  const name = visible(title);
  return html`<li data-key="${visible(app)}" data-service="${name}">
<div class="head"><div><h3><bdi>${name}</bdi></h3> ${total > 1 && word === undefined && html`<span class="aside">${counted(total, "instance")}</span>`}</div> ${stateMark(verdict.state, word)}</div>
${isAlone ? items.map(({ item }) => item) : html`<ul class="instances">${items.map(({ entry, item }) => html`<li data-key="${visible(entry.id)}">${item}</li>`)}</ul>`}
${!only && total > shown.length && html`<p class="rest">${shown.length} of ${counted(total, "instance")} shown. <a href="/?application=${encodeURIComponent(app)}">Show all<span class="quiet"> of ${name}</span></a></p>`}
</li>`;
}

function pager({ page, last }: Pages, query: string): Rendered | false {
  const to = (target: number, text: string) => html`<a href="/?${query}page=${target}">${text}</a>`;
  return last > 1 && html`<nav aria-label="Pages">${page > 1 && to(page - 1, "Previous")} <span>Page ${number(page)} of ${number(last)}</span> ${page < last && to(page + 1, "Next")}</nav>`;
}

function empty(registerAt: string): Rendered {
  return html`<div class="nothing">
<p><strong>Nothing else is registered.</strong> To register a Spring service, set</p>
<pre><code>eureka.client.<wbr>serviceUrl.<wbr>defaultZone=<wbr>${registerAt}</code></pre>
<p>The password is in the URL that the platform printed when it started.</p>
</div>`;
}

function here({ pages, only }: Page): string {
  const query = new URLSearchParams({ ...(only && { application: only.app }), ...(pages.page > 1 && { page: String(pages.page) }) }).toString();
  return query === "" ? "/" : `/?${query}`;
}
