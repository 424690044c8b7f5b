import { existsSync } from "node:fs";
import packed from "@sparticuz/chromium";
import { type Browser, chromium, type Page } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** Headless Chromium: an installed one, or on Linux the one that npm has brought. */
export async function launchChromium(): Promise<Browser> {
  const installed = process.env["CHROMIUM"] ?? INSTALLED.find((path) => existsSync(path));
  if (installed) return chromium.launch({ executablePath: installed, args: ["--no-sandbox"] });
  return chromium.launch({ executablePath: await packed.executablePath(), args: packed.args });
}

export type Watched = {
  /** What a person would never see and should not be there: console errors, CSP violations, failed and foreign requests. */
  complaints: string[];
};

/** Writes down what goes wrong behind the page; `origins` are those it may call. */
export function watch(page: Page, { origins }: { origins: readonly string[] }): Watched {
  const complaints: string[] = [];
  const isAllowed = (url: string) => /^(data|blob|about):/.test(url) || origins.includes(new URL(url).origin);
  page.on("console", (message) => {
    if (message.type() === "error" || /Content Security Policy/i.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!isAllowed(request.url())) complaints.push(`foreign: ${request.url()}`);
  });
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ""}`));
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return { complaints };
}
