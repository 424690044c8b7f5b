export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fbfaf8, #14171a);
  --card: light-dark(#ffffff, #1c2024);
  --edge: light-dark(#dcd8d0, #343a41);
  --text: light-dark(#1d2126, #e8e6e2);
  --quiet: light-dark(#565d66, #a3aab3);
  --link: light-dark(#0b5394, #8cc2ff);
  --good: light-dark(#17652f, #7fd69a);
  --bad: light-dark(#a3201b, #ff9d94);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 52rem;
  padding: clamp(1.25rem, 5vw, 4rem) clamp(1rem, 4vw, 2rem);
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
}
h1 { display: flex; align-items: center; gap: .6rem; margin: 0; font-size: 1.75rem; line-height: 1.2; }
header p { max-width: 38rem; margin: .6rem 0 0; color: var(--quiet); }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem; }
p { margin: .35rem 0; }
a { color: var(--link); text-underline-offset: .2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.summary { padding: .6rem .9rem; border-left: 4px solid; background: var(--card); }
.summary.good { border-color: var(--good); }
.summary.bad { border-color: var(--bad); }
.services { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.services li { padding: .9rem 1rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); }
.services > li > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; }
.services p { margin: .35rem 0 0; font-size: .9375rem; }
.status { font-weight: 600; }
.status::before { content: "● " / ""; }
.status.bad::before { content: "▲ " / ""; }
.status.good { color: var(--good); }
.status.bad, .summary strong { color: var(--bad); }
.status.dull { color: var(--quiet); }
.quiet { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
ol, section > ul:not([class]) { padding-left: 1.25rem; }
ol li { margin-bottom: 1rem; }
ol li::marker { color: var(--quiet); }
pre {
  margin: .35rem 0 0;
  padding: .75rem .9rem;
  border: 1px solid var(--edge);
  border-radius: 8px;
  background: var(--card);
  font: .875rem/1.6 ui-monospace, monospace;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
code { font: inherit; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
.events { margin: 1rem 0; padding: 0; list-style: none; }
.events li { margin-bottom: .75rem; padding: .9rem 1rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); }
.events table { width: 100%; margin: .6rem 0; border-collapse: collapse; font-size: .9375rem; }
.events th, .events td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; overflow-wrap: break-word; }
.events summary { cursor: pointer; }
@media print { body { max-width: none; } }
`.trimStart();

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path fill="#b4552d" d="M3 30V9h4v3h3V9h4v3h4V9h4v3h3V9h4v21h-9v-7a4 4 0 0 0-8 0v7z"/>
<path fill="#b4552d" d="M15 2h7l-2 2.5L22 7h-5v2h-2z"/>
</svg>
`;
