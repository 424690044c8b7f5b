import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import packed, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium, type Page } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

function installed(): string | undefined {
  return process.env["CHROMIUM"] ?? INSTALLED.find((path) => existsSync(path));
}

/** Unpacks the Chromium that npm has brought, where none is installed: once, before the suites that run beside each other. */
export async function setup(): Promise<void> {
  if (installed()) return;
  const files = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin");
  await inflate(join(files, "al2023.tar.br"));
  await packed.executablePath();
}

/** Headless Chromium: an installed one, or on Linux the one that npm has brought, with the libraries that it came with. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = installed();
  if (executablePath) return chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const env = { ...process.env, LD_LIBRARY_PATH: join(tmpdir(), "al2023", "lib"), FONTCONFIG_PATH: join(tmpdir(), "fonts") };
  return chromium.launch({ executablePath: await packed.executablePath(), args: ["--no-sandbox"], env });
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
