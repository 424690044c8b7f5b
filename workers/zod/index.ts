import * as z from "./namespace.ts";

export * from "./namespace.ts";
export { z };
