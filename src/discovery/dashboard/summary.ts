import { html } from "hono/html";
import { LOOKS, type Rendered } from "./state.ts";
import { STATES } from "./status.ts";
import { listed } from "./text.ts";
import type { Shown } from "./view.ts";

type Summary = { tone: "good" | "warn" | "bad"; text: Rendered; title: string };

/** The platform at a glance; `isAway`: the registry could not be read. */
export function summary(platform: readonly Shown[], { isAway }: { isAway: boolean }): Summary {
  if (isAway) {
    const text = html`<strong>The registry does not answer.</strong> Its database cannot be reached just now. Services that know of each other still call each other.`;
    return { tone: "bad", text, title: "The registry does not answer" };
  }
  const failing = STATES.filter((state) => state !== "up" && state !== "part").flatMap((state) => {
    const names = platform.filter(({ verdict }) => verdict.state === state).map(({ title }) => inside(title));
    return names.length > 0 ? [{ word: LOOKS[state].word, names: listed(names) }] : [];
  });
  if (failing.length > 0) {
    const text = html`${failing.map(({ word, names }) => html`<span><strong>${word}:</strong> ${names}</span> `)}`;
    return { tone: "bad", text, title: failing.map(({ word, names }) => `${word}: ${names}`).join(". ") };
  }
  const partly = platform.filter(({ verdict }) => verdict.state === "part").map(({ title }) => inside(title));
  if (partly.length === 0) return { tone: "good", text: html`All five services are up.`, title: "All up" };
  return { tone: "warn", text: html`All five services are up, but not every instance of the ${listed(partly)}.`, title: "Partly up" };
}

/** A title as it stands inside a sentence. */
function inside(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}
