/** `[name, clientId]` of a role somebody has, composites resolved; a realm role has no client. */
export type Granted = [name: string, clientId: string | null];

export function realmRoles(granted: Granted[]): string[] {
  return granted.filter(([, client]) => client === null).map(([name]) => name);
}

export function clientRoles(granted: Granted[]): Map<string, string[]> {
  const byClient = new Map<string, string[]>();
  for (const [name, client] of granted) {
    if (client === null) continue;
    byClient.set(client, [...(byClient.get(client) ?? []), name]);
  }
  return byClient;
}
