import { STYLE } from "../../pages/style.ts";

/** The look of all pages, and what is the dashboard's own. */
export const DASHBOARD_STYLE = `${STYLE}
:root { --warn: light-dark(#855000, #f0bf6b); }
body { max-width: 60rem; }
h1 span { color: var(--quiet); font-weight: 400; }
h3, h4 { margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1.0625rem; }
h4 { font-size: .9375rem; font-weight: 600; }
main:focus { outline: none; }
.aside, .updated { color: var(--quiet); font-size: .875rem; }
.updated { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; margin: 1.5rem 0 .5rem; }
#stale { margin-top: 1.5rem; }
#stale:empty { display: none; }
.stale section { filter: grayscale(1); }
.stale > .summary { display: none; }
.summary.good::before { content: "● " / ""; color: var(--good); }
main > .summary:first-child { margin-top: 1.5rem; }
.summary span { display: block; }
.summary.warn { border-color: var(--warn); }
.registry, .instances, details ul { margin: 0; padding: 0; list-style: none; }
.registry { display: grid; gap: .75rem; }
.registry > li { min-width: 0; padding: .875rem 1.125rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .125rem .75rem; }
.head h3, .head h4 { display: inline; margin-right: .5rem; }
.status { white-space: nowrap; }
.status.warn { color: var(--warn); }
.status.ailing::before { content: "◆ " / ""; }
.status.part::before { content: "◐ " / ""; }
.status.out::before { content: "■ " / ""; }
.status.hollow::before { content: "○ " / ""; }
.why { margin: .125rem 0 0; font-size: .9375rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1.25rem; margin: .5rem 0 0; font-size: .9375rem; }
dl > :last-child:nth-child(odd) { grid-column: 1 / -1; }
dt { color: var(--quiet); font-size: .8125rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.foot { display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: .375rem 1.25rem; margin-top: .625rem; font-size: .9375rem; }
.foot:empty { display: none; }
.foot p { margin: 0; font-size: inherit; }
details { flex: 1 1 20rem; }
summary { width: fit-content; cursor: pointer; }
details ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .375rem 1.5rem; margin-top: .375rem; }
details li { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; overflow-wrap: anywhere; }
details li .status { min-width: 3.75rem; }
details li p { grid-column: 2; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.instances > li { padding: .75rem 0; border-top: 1px solid var(--edge); }
.instances > li:first-child { margin-top: .75rem; }
.instances > li:last-child { padding-bottom: 0; }
.rest { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--edge); font-size: .9375rem; }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 1rem; }
section > p:first-child { margin-top: 1.25rem; }
section > p:first-child + h2 { margin-top: .75rem; }
.nothing { padding: 1rem 1.125rem; border: 1px dashed var(--edge); border-radius: 8px; }
.nothing pre { margin: .625rem 0; }
@media (width > 48rem) {
  dl { grid-template-columns: 8.25rem 7.5rem 6.5rem 1fr 1fr; }
  dl > :last-child:nth-child(odd) { grid-column: auto; }
  dl > :last-child:nth-child(2) { grid-column: 2 / -1; }
  .foot .links { margin-left: auto; }
}
`;
