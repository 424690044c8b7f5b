/**
 * Keeps the page up to date without a reload: asks for it again every few seconds and changes what has changed,
 * so that focus, scrolling, selection and opened details stay. Nothing of it is needed to read the page.
 */
export const SCRIPT = String.raw`
const EVERY_MS = 5000;
const LONGEST_MS = 60000;
const ANSWER_MS = 8000;

const main = document.querySelector("main");
const stale = document.querySelector("#stale");
const changes = document.querySelector("#changes");
let wait = EVERY_MS;
let timer;
let underway = false;
let updated = new Date();

async function update() {
  if (underway) return;
  underway = true;
  try {
    const answer = await fetch(location.href, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(ANSWER_MS) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // A page that never had anything to show may show that again.
    const isNoWorse = "away" in main.dataset && page.querySelector("main[data-away]");
    if (answer.ok || isNoWorse) show(page);
    if (!answer.ok && !isNoWorse) lose(answer.status === 401);
    wait = answer.ok ? EVERY_MS : later();
  } catch {
    lose(false);
    wait = later();
  } finally {
    underway = false;
    plan();
  }
}

function later() {
  return Math.min(2 * wait, LONGEST_MS);
}

function plan() {
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(update, wait);
}

function show(page) {
  const before = states();
  const focused = document.activeElement;
  localise(page);
  morph(main, page.querySelector("main"));
  document.title = page.title;
  updated = new Date();
  if (stale.textContent !== "") stale.textContent = "";
  if (!focused.isConnected) main.focus({ preventScroll: true });
  tell(before, states());
}

// Ages that no longer grow would tell something wrong; exact times stay true.
function lose(isLocked) {
  const reason = isLocked ? "reload the page to sign in again." : "the registry does not answer.";
  const text = "Not updated since " + updated.toLocaleTimeString() + ": " + reason;
  if (stale.textContent !== text) stale.textContent = text;
  main.classList.add("stale");
  for (const time of main.querySelectorAll("time[title]")) time.textContent = time.title;
}

function states() {
  const services = [...document.querySelectorAll("[data-service]")];
  return new Map(services.map((service) => [service.dataset.service, service.querySelector(".status").textContent]));
}

// Only a change is read out, not the page again.
function tell(before, after) {
  const changed = [...after].filter(([service, state]) => before.get(service) !== state).map(([service, state]) => service + ": " + state);
  const ended = [...before.keys()].filter((service) => !after.has(service)).map((service) => service + ": no longer listed");
  if (changed.length + ended.length > 0) changes.textContent = [...changed, ...ended].join(". ");
}

function localise(root) {
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (time.title !== "") time.title = at.toLocaleString();
    else time.textContent = at.toLocaleTimeString();
  }
}

// Makes the old element like the new one, keeping every element that is in both.
function morph(old, now) {
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && !isTheirs(old, name)) old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value && !isTheirs(old, name)) old.setAttribute(name, value);
  const kept = keyed(old);
  const wanted = keyed(now);
  for (const [key, child] of kept) if (!wanted.has(key)) child.remove();
  const keys = new Map([...wanted].map(([key, child]) => [child, key]));
  let place = old.firstChild;
  for (const child of now.childNodes) {
    const match = kept.get(keys.get(child));
    if (match) {
      while (place && place !== match && place.nodeType !== Node.ELEMENT_NODE) place = dropped(place);
      if (place === match) place = match.nextSibling;
      else old.insertBefore(match, place);
      morph(match, child);
    } else if (child.nodeType === Node.TEXT_NODE && place?.nodeType === Node.TEXT_NODE) {
      if (place.data !== child.data) place.data = child.data;
      place = place.nextSibling;
    } else {
      old.insertBefore(document.importNode(child, true), place);
    }
  }
  while (place) place = dropped(place);
}

// What the reader has opened is the reader's.
function isTheirs(element, name) {
  return name === "open" && element.localName === "details";
}

function keyed(parent) {
  const counts = new Map();
  return new Map([...parent.children].map((child) => {
    const name = child.localName + " " + (child.id || child.dataset.key || "");
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return [name + " " + counts.get(name), child];
  }));
}

function dropped(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

main.addEventListener("click", (event) => {
  if (event.target.id !== "refresh" || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  update();
});
document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : update()));
localise(document);
plan();
`.trimStart();
