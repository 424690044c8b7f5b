const DEEPEST = 8;

/** `error` and what it was caused by, outermost first: drivers wrap what their `fetch` throws, Neon's as `sourceError`. */
export function causesOf(error: unknown): unknown[] {
  const links: unknown[] = [];
  let link = error;
  while (link !== undefined && link !== null && links.length < DEEPEST) {
    links.push(link);
    link = link instanceof Error ? (link.cause ?? (link as { sourceError?: unknown }).sourceError) : undefined;
  }
  return links;
}

/** The codes of `error` and its causes, such as `ECONNREFUSED` or a SQLSTATE. */
export function codesIn(error: unknown): string[] {
  return causesOf(error).flatMap((link) => {
    const { code } = link as { code?: unknown };
    return typeof code === "string" ? [code] : [];
  });
}
