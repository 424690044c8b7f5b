import { VERSION } from "./documents.ts";

/** What a service is, in the places where Boot has it, and what it runs on. */
export function info({ name, title, description }: { name: string; title: string; description: string }): object {
  return {
    app: { name, description },
    build: { artifact: name, name: title, version: VERSION, group: "gatehouse" },
    runtime: runtime(),
  };
}

/** `Node.js/24`, `Deno/2.9.5`, `Cloudflare-Workers`. */
function runtime(): { name: string; version?: string | undefined } {
  const [name = "unknown", version] = navigator.userAgent.split("/");
  return { name, version };
}
