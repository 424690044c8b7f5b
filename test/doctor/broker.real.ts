import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { migratePostgres } from "../../workers/migrations.ts";
import { asOwner, ownDatabase } from "../systems/postgres.ts";
import { ownFolder } from "../workers/folder.ts";
import { diagnosis, MINUTE_MS } from "./command.ts";

const { KAFKA_BROKERS: brokers = "", KAFKA_REST_URL: rest = "", KAFKA_REST_CREDENTIALS: credentials = "" } = process.env;
const { TEST_DATABASE_URL: database = "" } = process.env;
const settings = () => ({ GATEHOUSE_DATA: join(ownFolder(), "data"), SERVICES: "users" });

describe.skipIf(brokers === "")("a Kafka by its own protocol", { timeout: MINUTE_MS }, () => {
  test("is asked through our bridge, node by node", async () => {
    const { having, of } = await diagnosis({ ...settings(), KAFKA_BROKERS: `${brokers},127.0.0.1:2` });
    expect(having("broker", "node-away")).toMatchObject([{ sentence: expect.stringContaining("127.0.0.1:2 cannot be reached"), remedy: expect.stringContaining("KAFKA_BROKERS") }]);
    expect(having("broker", "reached")).toHaveLength(1);
    expect(having("broker", "credential-open")).toHaveLength(1);
    expect(of("broker").filter(({ check }) => check === "topics")).toHaveLength(2);
  });

  test("is not there, or is another listener than was said", async () => {
    const away = await diagnosis({ ...settings(), KAFKA_BROKERS: "127.0.0.1:2" });
    expect(away.exit).toBe(1);
    expect(away.having("broker", "refused")).toMatchObject([{ remedy: "Start it, or correct KAFKA_BROKERS" }]);
    const other = await diagnosis({ ...settings(), KAFKA_BROKERS: brokers, KAFKA_SASL_MECHANISM: "plain", KAFKA_USERNAME: "nobody", KAFKA_PASSWORD: "canary-of-the-doctor" });
    expect(other.exit).toBe(1);
    expect(other.faults.some((fault) => ["broker/node-odd", "broker/credential-refused"].includes(fault))).toBe(true);
    expect(other.text).not.toContain("canary-of-the-doctor");
  });
});

describe.skipIf(rest === "")("a REST v3 interface", { timeout: MINUTE_MS }, () => {
  test("takes the credential that it wants, and no other", async () => {
    const fine = await diagnosis({ ...settings(), BROKER_URL: rest, BROKER_AUTHORIZATION: `Basic ${btoa(credentials)}` });
    expect(fine.having("broker", "credential")).toHaveLength(1);
    expect(fine.of("broker").filter(({ check }) => check === "cluster")).toMatchObject([{ status: "ok" }]);
    const refused = await diagnosis({ ...settings(), BROKER_URL: rest, BROKER_AUTHORIZATION: `Basic ${btoa("nobody:not-the-one-that-it-has")}` });
    expect(refused.having("broker", "credential-refused")).toMatchObject([{ status: "error", remedy: expect.stringContaining("BROKER_AUTHORIZATION") }]);
  });
});

describe.skipIf(brokers === "" || database === "")("a database that was used with another broker", { timeout: 2 * MINUTE_MS }, () => {
  test("has consumers that would go on behind the end of what they read", async () => {
    const own = await ownDatabase(database);
    try {
      const told = { ...settings(), KAFKA_BROKERS: brokers, DATABASE_URL: own.url };
      const bare = await diagnosis(told);
      expect(bare.having("broker", "consumers")).toHaveLength(1);
      await migratePostgres(own.url);
      await asOwner(own.url, "INSERT INTO events.positions (consumer, topic, partition, next_offset) VALUES ('audit', 'platform.users', 0, NULL), ('webhooks', 'platform.users', 0, 0)");
      const fine = await diagnosis(told);
      expect(fine.having("broker", "consumers")).toMatchObject([{ sentence: expect.stringContaining("(1 looked at)") }]);
      await asOwner(own.url, "UPDATE events.positions SET next_offset = 1000000000 WHERE consumer = 'audit'");
      const { having } = await diagnosis(told);
      expect(having("broker", "consumers")).toEqual([]);
      expect(having("broker", "consumers-ahead")).toMatchObject([
        { status: "warning", sentence: expect.stringMatching(/^platform\.users: audit .*partition 0 at 1000000000, and it ends at \d+\)/), remedy: expect.stringMatching(/npm run export.*npm run import/) },
      ]);
    } finally {
      await own.drop();
    }
  });
});
