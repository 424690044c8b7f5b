import { html } from "hono/html";
import { linksOf } from "./links.ts";
import type { Component } from "./probe-health.ts";
import { probeTarget } from "./probe-target.ts";
import { type Rendered, stateMark } from "./state.ts";
import { type State, words } from "./status.ts";
import { ago, counted, visible } from "./text.ts";
import type { ShownEntry } from "./view.ts";

const MAX_VERSION = 40;

type Of = { title: string; now: number; /** Its service has no other instance, and has said its state already. */ isAlone: boolean };

const COMPONENT_STATES: Record<string, State> = { UP: "up", DOWN: "down", OUT_OF_SERVICE: "out" };

/** One instance: since when, its last heartbeat, where it runs, its health, its documents. */
export function instanceItem(entry: ShownEntry, { title, now, isAlone }: Of): Rendered {
  const { id, verdict } = entry;
  return html`${!isAlone && html`<div class="head"><h4><bdi>${visible(id)}</bdi></h4> ${stateMark(verdict.state)}</div>`}
${verdict.why !== undefined && html`<p class="why">${visible(verdict.why)}</p>`}
<dl>${facts(entry, { now, isAlone }).map(([term, value]) => html`<div data-key="${term}"><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
<div class="foot">${health(entry)}${links(entry, isAlone ? title : `${title}, ${id}`)}</div>`;
}

type Fact = [term: string, value: Rendered];

function facts({ id, instance, member }: ShownEntry, { now, isAlone }: Pick<Of, "now" | "isAlone">): Fact[] {
  if (!instance) return checked(member?.publicUrl);
  const { hostName, port, securePort, metadata, lastRenewedAt } = instance;
  const listens = port ?? securePort;
  const one: Fact[] = isAlone ? [["Instance", text(id)]] : [];
  return [
    since(instance, now),
    ["Last heartbeat", time(lastRenewedAt, ago(lastRenewedAt, now))],
    ["Version", text(metadata["version"], MAX_VERSION)],
    ["Address", text(listens === undefined ? hostName : `${hostName}:${listens}`)],
    ...one,
  ];
}

function checked(publicUrl: string | undefined): Fact[] {
  const address: Fact[] = publicUrl === undefined ? [] : [["Address", text(new URL(publicUrl).host)]];
  return [["Checked", html`now, on demand`], ...address];
}

function text(value: string | undefined, max?: number): Rendered {
  return value === undefined || value === "" ? html`<span class="aside">not given</span>` : html`<bdi>${visible(value, max)}</bdi>`;
}

function since(instance: NonNullable<ShownEntry["instance"]>, now: number): Fact {
  const { gone, isOver, status, upSince, registeredAt, lastRenewedAt, leaseSeconds } = instance;
  const from = (term: string, at: number): Fact => [term, time(at, ago(at, now))];
  if (gone) return from("Gone since", gone.at);
  if (isOver) return from("Overdue since", lastRenewedAt + leaseSeconds * 1000);
  return status === "UP" && upSince !== undefined ? from("Up since", upSince) : from("Registered", registeredAt);
}

function time(at: number, text: string): Rendered {
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact.slice(0, 19).replace("T", " ")} UTC">${text}</time>`;
}

function health({ instance, probe }: ShownEntry): Rendered | false {
  if (probe?.kind !== "health") {
    const reason = instance && !probe && !instance.gone && unasked(instance.healthCheckUrl);
    return reason ? html`<p class="aside">${reason}</p>` : false;
  }
  const { status, components, more } = probe.health;
  const word = `Health: ${visible(words(status))}`;
  if (components.length === 0) return html`<p class="aside">${word}</p>`;
  return html`<details><summary>${word} <span class="aside">${counted(components.length + more, "component")}</span></summary>
<ul>${components.map(componentItem)}${more > 0 && html`<li>and ${more} more</li>`}</ul></details>`;
}

function componentItem({ name, status, error }: Component): Rendered {
  const mark = stateMark(COMPONENT_STATES[status] ?? "unknown", visible(words(status)));
  return html`<li data-key="${visible(name)}">${mark} <bdi>${visible(name)}</bdi>${error !== undefined && html`<p class="aside">${visible(error)}</p>`}</li>`;
}

function unasked(url: string | undefined): string {
  if (url === undefined) return "Health: it names no address to ask";
  return probeTarget(url) ? "Health: there was no time to ask" : "Health: its address is not one that may be asked";
}

function links(entry: ShownEntry, of: string): Rendered | false {
  const { documentation, health } = linksOf(entry);
  const link = (href: string, text: string) => html`<a href="${href}" rel="noreferrer">${text}<span class="quiet"> of ${visible(of)}</span></a> `;
  if (documentation === undefined && health === undefined) return false;
  return html`<p class="links">${documentation !== undefined && link(documentation, "Documentation")}${health !== undefined && link(health, "Health as JSON")}</p>`;
}
