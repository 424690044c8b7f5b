import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { PLATFORM, runToEnd } from "../command.ts";
import { ownFolder } from "../workers/folder.ts";

const LIMIT_MS = 120_000;

type Refusal = { code: string; message: string };

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function refusalOf({ code, message: text }: Refusal): Buffer {
  return message("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`));
}

const READY = [message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))];

/** A server on Postgres' wire that refuses who comes, or lets everybody in and refuses what they ask. */
async function refusing(refusal: Refusal, when: "coming" | "asking"): Promise<string> {
  const converse = (socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      if (when === "coming") return void socket.end(refusalOf(refusal));
      socket.write(Buffer.concat(READY));
      socket.on("data", () => void socket.write(Buffer.concat([refusalOf(refusal), READY[1]!])));
    });
  };
  const server = createServer(converse).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const start = (host: string) => runToEnd(PLATFORM, { GATEHOUSE_DATA: ownFolder(), DATABASE_URL: `postgres://app:canary@${host}/app` });

test.each<[what: string, code: string, when: "coming" | "asking", message: string]>([
  ["A wrong password", "28P01", "coming", 'password authentication failed for user "app"'],
  ["A user who is not let in from here", "28000", "coming", 'no pg_hba.conf entry for host "10.0.0.1"'],
  ["A database that is not there", "3D000", "coming", 'database "app" does not exist'],
  ["Too many connections", "53300", "coming", "sorry, too many clients already"],
  ["A right that is missing", "42501", "asking", "permission denied for database app"],
])("%s keeps the platform from starting in one sentence", async (_, code, when, text) => {
  const host = await refusing({ code, message: text }, when);
  expect(await start(host)).toEqual({ code: 1, output: `Cannot migrate the database at "${host}": ${text}\n` });
}, LIMIT_MS);

test.each(["127.0.0.1:1", "no-such-host.invalid"])("Nothing at %s keeps the platform from starting in one sentence", async (host) => {
  const { code, output } = await start(host);
  expect({ code, lines: output.split("\n") }).toEqual({ code: 1, lines: [expect.stringMatching(new RegExp(`^Cannot migrate the database at "${host}": (connect|getaddrinfo) E`)), ""] });
}, LIMIT_MS);

test("What nobody has foreseen shows where it happened", async () => {
  const { code, output } = await start(await refusing({ code: "XX000", message: "cache lookup failed" }, "asking"));
  expect(code).toBe(1);
  expect(output).toMatch(/cache lookup failed +at /);
}, LIMIT_MS);
