import { existsSync, rmSync, writeFileSync } from "node:fs";
import { run } from "./child.ts";
import { found, isRoot } from "./machine.ts";

const POLICY = "/usr/sbin/policy-rc.d";

/** What is said where a package is not installed and cannot be. */
export function missingPackage(name: string, aptPackage: string): string[] {
  return isRoot && found("apt-get") ? [] : [`${name} is missing: install the package "${aptPackage}", or run as root where there is apt-get`];
}

/** Installs a package of the distribution, and nothing that the package would start. */
export async function aptInstall(aptPackage: string): Promise<void> {
  const isOurs = !existsSync(POLICY);
  if (isOurs) writeFileSync(POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await run(["apt-get", "update", "-q"]);
    await run(["apt-get", "install", "-y", "-q", "--no-install-recommends", aptPackage], { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  } finally {
    if (isOurs) rmSync(POLICY);
  }
}
