import process from "node:process";
import { fileURLToPath } from "node:url";

const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;

/** The Deno that the packages bring, and how it runs a file of this repository. */
export const deno = {
  command: fileURLToPath(new URL(`../node_modules/@deno/${platform}/deno${process.platform === "win32" ? ".exe" : ""}`, import.meta.url)),
  // With other modes it may lay out anew the very packages that the tests run from.
  run: ["run", "--allow-all", "--node-modules-dir=manual", "--no-lock"],
};
