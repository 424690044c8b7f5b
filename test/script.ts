import type { Fetch } from "../src/http/fetch.ts";

/** Stands for the script of the documentation pages, where nothing runs it. */
export const documentationScript: Fetch = () => new Response("globalThis.Scalar = undefined;", { headers: { "content-type": "text/javascript" } });
