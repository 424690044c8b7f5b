/** The oldest of each system that the platform is tested with, as README says them. */
export const LEAST = { postgres: "15", redis: "7", vault: "1.21", openBao: "2.6", keycloak: "26.5" } as const;

/** Whether `version` comes before `least`; one that says no numbers does not. */
export function isOlder(version: string, least: string): boolean {
  const [has, wanted] = [version, least].map((text) => text.split(".").map((part) => Number.parseInt(part, 10))) as [number[], number[]];
  const at = wanted.findIndex((number, index) => number !== (has[index] ?? 0));
  return at >= 0 && (has[at] ?? 0) < wanted[at]!;
}
