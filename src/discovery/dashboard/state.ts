import { html } from "hono/html";
import type { State } from "./status.ts";

export type Rendered = ReturnType<typeof html>;

type Look = { word: string; /** The colour and the shape before the word; see the style. */ look: string };

export const LOOKS: Record<State, Look> = {
  up: { word: "Up", look: "good" },
  part: { word: "Partly up", look: "warn part" },
  starting: { word: "Starting", look: "dull part" },
  unknown: { word: "Unknown", look: "dull hollow" },
  absent: { word: "Not registered", look: "dull hollow" },
  out: { word: "Out of service", look: "warn out" },
  ailing: { word: "Health down", look: "bad ailing" },
  silent: { word: "Not answering", look: "bad silent" },
  down: { word: "Down", look: "bad" },
};

/** The state in words, with a shape: nobody has to tell colours apart. */
export function stateMark(state: State, word = LOOKS[state].word): Rendered {
  return html`<span class="status ${LOOKS[state].look}">${word}</span>`;
}
