import { html } from "hono/html";

export type Documentation = {
  title: string;
  /** The first is shown unless another is marked. */
  sources: readonly { title: string; slug: string; url: string; default: boolean }[];
};

/** Of the package that the script is from: in its address, so that it can be kept for ever. */
export const SCALAR_VERSION = "1.60.0";

/** Nothing is asked of another host, and nothing is offered that would. */
const CLOSED = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
};

const LOOK = { orderSchemaPropertiesBy: "preserve", defaultOpenAllTags: true };

/** The page that Scalar fills; without script it leads to the documents themselves. */
export function documentationPage({ title, sources }: Documentation) {
  const configuration = JSON.stringify({ ...CLOSED, ...LOOK, sources });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: API documentation</title>
<link rel="icon" href="/swagger-ui/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/swagger-ui/documentation.css">
<script defer src="/swagger-ui/scalar.js?${SCALAR_VERSION}"></script>
<script defer src="/swagger-ui/documentation.js"></script>
</head>
<body>
<main id="without">
<h1>${title}: API documentation</h1>
<p id="state">The documentation is loading.</p>
<noscript><p>It needs JavaScript. These are the descriptions themselves:</p></noscript>
<ul>${sources.map(({ title: name, url }) => html`<li><a href="${url}">${name}</a></li>`)}</ul>
</main>
<div id="documentation" data-configuration="${configuration}"></div>
</body>
</html>`;
}
