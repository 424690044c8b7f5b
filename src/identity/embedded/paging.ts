/** `first` and `max` as Keycloak reads them: a negative `max` is no limit. */
export function paging(parameters: URLSearchParams, defaultMax: number | undefined): { first: number; max: number | undefined } {
  const max = whole(parameters.get("max")) ?? defaultMax;
  return { first: Math.max(0, whole(parameters.get("first")) ?? 0), max: max !== undefined && max < 0 ? undefined : max };
}

function whole(text: string | null): number | undefined {
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
