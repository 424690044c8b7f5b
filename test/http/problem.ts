import { expect } from "vitest";

export type Refusal = { status: number; code: string; /** Paths of the failing fields, each once. */ fields?: string[] };

/** What `response` refuses and why; fails unless it is a problem as every one of ours is (RFC 9457). */
export async function problemOf(response: Response): Promise<Refusal> {
  const { status, headers } = response;
  const body = (await response.json()) as { code?: string; errors?: { path: string; message: string }[] };
  const { code = "none" } = body;
  const shown = { type: headers.get("content-type"), cache: headers.get("cache-control"), body };
  expect(shown).toEqual({
    type: "application/problem+json",
    cache: "no-store",
    body: {
      type: `urn:gatehouse:problem:${code.toLowerCase().replaceAll("_", "-")}`,
      title: expect.stringMatching(/./),
      status,
      detail: expect.stringMatching(/./),
      instance: expect.stringMatching(/^\//),
      code: expect.stringMatching(new RegExp(`^[A-Z_]+_${status}$`)),
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...(body.errors && { errors: body.errors.map(() => ({ path: expect.any(String), message: expect.stringMatching(/./) })) }),
    },
  });
  return { status, code, ...(body.errors && { fields: [...new Set(body.errors.map(({ path }) => path))].toSorted() }) };
}
