import { setTimeout as pause } from "node:timers/promises";
import { person, type TestPlatform } from "../platform.ts";

export type Sample = { kind: "register" | "sign in"; began: number; took: number; status: number; code: string | undefined; retryAfter: string | null };

export type Load = {
  samples: Sample[];
  /** What was answered 201. */
  registered: { userId: string; emailId: string }[];
  stop: () => Promise<void>;
};

const PAUSE_MS = 30;

/** Registers people and signs them in, `workers` of them side by side, one after another each. */
export function steadyLoad({ request }: Pick<TestPlatform, "request">, workers = 4): Load {
  const samples: Sample[] = [];
  const registered: Load["registered"] = [];
  let isOver = false;

  async function timed(kind: Sample["kind"], path: string, json: Record<string, unknown>): Promise<Record<string, string>> {
    const began = performance.now();
    const response = await request(path, { method: "POST", json, headers: { accept: "application/json" } });
    const body = (await response.json()) as Record<string, string>;
    samples.push({ kind, began, took: performance.now() - began, status: response.status, code: response.status < 400 ? undefined : body["code"], retryAfter: response.headers.get("retry-after") });
    return response.status < 400 ? body : {};
  }

  async function work(): Promise<void> {
    let known: { emailId: string; password: string } | undefined;
    while (!isOver) {
      const { emailId, password, ...rest } = person();
      const { userId } = await timed("register", "/api/users/register", { ...rest, emailId, password });
      if (userId) {
        registered.push({ userId, emailId });
        known = { emailId, password };
      }
      if (known) await timed("sign in", "/api/auth/authenticate", { username: known.emailId, password: known.password });
      await pause(PAUSE_MS);
    }
  }

  const working = Promise.all(Array.from({ length: workers }, work));
  return {
    samples,
    registered,
    async stop() {
      isOver = true;
      await working;
    },
  };
}
