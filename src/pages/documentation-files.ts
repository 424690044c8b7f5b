/** Starts Scalar with the configuration that the page carries as data. */
export const DOCUMENTATION_SCRIPT = `
const place = document.getElementById("documentation");
if (globalThis.Scalar) {
  document.getElementById("without").remove();
  Scalar.createApiReference(place, JSON.parse(place.dataset.configuration));
} else {
  document.getElementById("state").textContent = "The documentation could not be loaded. Reload the page, or read the descriptions themselves:";
}
`.trimStart();

/** The colours of the other pages, in which small print has contrast enough; and the page before Scalar has filled it. */
export const DOCUMENTATION_STYLE = `
.light-mode {
  --scalar-color-1: #1d2126;
  --scalar-color-2: #565d66;
  --scalar-color-3: #666d76;
  --scalar-color-accent: #0b5394;
  --scalar-color-green: #17652f;
  --scalar-color-blue: #0b5394;
  --scalar-color-orange: #8f4400;
  --scalar-color-red: #a3201b;
  --scalar-color-purple: #5b2d9e;
  --scalar-color-yellow: #7a5c00;
  --scalar-background-1: #ffffff;
  --scalar-background-2: #f6f4f0;
  --scalar-background-3: #ebe8e1;
  --scalar-border-color: #dcd8d0;
}
.dark-mode {
  --scalar-color-1: #e8e6e2;
  --scalar-color-2: #a3aab3;
  --scalar-color-3: #8d949d;
  --scalar-color-accent: #8cc2ff;
  --scalar-color-green: #7fd69a;
  --scalar-color-blue: #8cc2ff;
  --scalar-color-orange: #ffb27a;
  --scalar-color-red: #ff9d94;
  --scalar-color-purple: #c9a8ff;
  --scalar-color-yellow: #ffd166;
  --scalar-background-1: #14171a;
  --scalar-background-2: #1c2024;
  --scalar-background-3: #2a3037;
  --scalar-border-color: #343a41;
}
/* Leads away from the platform. */
a[href="https://www.scalar.com"] { display: none; }
#without { max-width: 40rem; margin: 15vh auto; padding: 0 1rem; font: 1rem/1.55 system-ui, sans-serif; }
`.trimStart();
