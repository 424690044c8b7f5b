import { createRequire } from "node:module";
import { journey } from "./journey.ts";

// The package of this platform holds the program itself; what wraps it would stand in the way of `deno task`.
const platform = { linux: `linux-${process.arch}-glibc`, darwin: `darwin-${process.arch}`, win32: `win32-${process.arch}` }[process.platform as "linux"];
const program = process.platform === "win32" ? "deno.exe" : "deno";
const file = createRequire(import.meta.url).resolve(`@deno/${platform}/${program}`);

journey("Deno", { file, args: ["run", "--node-modules-dir=manual", "--no-lock", "--allow-all", "workers/deno.ts"] });
