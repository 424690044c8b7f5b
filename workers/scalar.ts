import { openAsBlob } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Fetch } from "../src/http/fetch.ts";

/** One file, as the package has it beside its own code, which is not used. */
const PATH = join(dirname(createRequire(import.meta.url).resolve("@scalar/fastify-api-reference")), "js", "standalone.js");

/** Scalar's script for the documentation pages: read when first asked for, compressed once, then kept. */
export function scalarScript(): Fetch {
  let compressed: Promise<ArrayBuffer> | undefined;

  return async ({ headers }) => {
    const type = { "content-type": "text/javascript; charset=utf-8", vary: "accept-encoding" };
    if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers.get("accept-encoding") ?? "")) {
      return new Response((await openAsBlob(PATH)).stream(), { headers: type });
    }
    compressed ??= compress();
    return new Response(await compressed, { headers: { ...type, "content-encoding": "gzip" } });
  };
}

async function compress(): Promise<ArrayBuffer> {
  const script = await openAsBlob(PATH);
  return new Response(script.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
}
