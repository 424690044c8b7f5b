import { html } from "hono/html";
import { type JsonSchema, type ListedEvent, listedEvents } from "./asyncapi.ts";
import { TOPICS, type TopicName } from "./catalogue.ts";

/** What is published, for people: each topic with its types, their fields and an example of each. */
export function eventsPage() {
  const events = listedEvents();
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Events · Gatehouse</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header>
<h1><img src="/icon.svg" alt="" width="32" height="32">Events</h1>
<p>What the platform publishes, as CloudEvents in JSON. Each arrives at least once, under the same <code>id</code>, and in order for each subject of a topic.
Pass over types and fields you do not know: some are added, none is taken away.</p>
<p><a href="/">Gatehouse</a> · <a href="/asyncapi.json">The same as an AsyncAPI document</a></p>
</header>
<main>
${(Object.keys(TOPICS) as TopicName[]).map((name) => topicSection(name, events.filter(({ topic }) => topic === name)))}
</main>
</body>
</html>`;
}

function topicSection(name: TopicName, events: ListedEvent[]) {
  return html`<section aria-labelledby="${name}">
<h2 id="${name}">${name}</h2>
<p>${prose(TOPICS[name].description)}</p>
<ul class="events">${events.map(eventItem)}</ul>
</section>`;
}

function eventItem({ type, title, description, schema, example }: ListedEvent) {
  const fields = Object.entries(schema.properties ?? {});
  return html`<li id="${type}">
<h3><code>${type}</code></h3>
<p>${title}. ${prose(description)}</p>
<table>
<caption class="quiet">Fields of ${type}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fields.map(([field, { description: meaning = "", ...rest }]) => html`<tr><td><code>${field}</code></td><td>${typeText(rest)}</td><td>${prose(meaning)}</td></tr>`)}</tbody>
</table>
<details><summary>An example</summary><pre><code>${JSON.stringify(example, null, 2)}</code></pre></details>
</li>`;
}

/** What stands between backticks, as code. */
function prose(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Such as `string or null`; the words of an enumeration are the type. */
function typeText({ type = "anything", format, enum: words, anyOf }: JsonSchema): string {
  if (Array.isArray(anyOf)) return anyOf.map((one: JsonSchema) => typeText(one)).join(" or ");
  if (Array.isArray(words)) return words.join(", ");
  if (Array.isArray(type)) return type.join(" or ");
  return typeof format === "string" ? format : type;
}
