import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testRegistry, type TestRegistry } from "./service.ts";

let registry: TestRegistry;
/** Three instances of the service over one database. */
let services: ReturnType<TestRegistry["instance"]>[];
beforeAll(async () => {
  registry = await testRegistry({ DISCOVERY_SELF_PRESERVATION: "off" });
  services = [registry.instance(), registry.instance(), registry.instance()];
});
afterAll(() => registry.close());
beforeEach(() => registry.database.reset());

const service = (index: number) => services[index % services.length]!;
const times = <T>(count: number, work: (index: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const live = async () => Number((await registry.database.query("SELECT live FROM discovery.capacity"))[0]?.["live"]);
const rows = async () => Number((await registry.database.query("SELECT count(*) FROM discovery.instances WHERE gone_at IS NULL"))[0]?.["count"]);

test("sixty registrations of one id at once make one instance, the newest", async () => {
  const answers = await times(60, (index) => service(index).register({ id: "one", lastDirtyTimestamp: 1000 + ((index * 7) % 60), metadata: { n: String((index * 7) % 60) } }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect([await rows(), await live()]).toEqual([1, 1]);
  const { instance } = await service(0).read("/apps/ORDERS/one");
  expect([instance.metadata, instance.lastDirtyTimestamp]).toEqual([{ n: "59" }, "1059"]);
});

test("registering and cancelling at once leaves the count of what there is", async () => {
  for (let round = 0; round < 5; round++) {
    await times(60, (index) => {
      const id = `orders-${index % 6}`;
      return index % 3 === 0 ? service(index).send(`/apps/ORDERS/${id}`, { method: "DELETE" }) : service(index).register({ id });
    });
    expect(await live()).toBe(await rows());
  }
  const lists = await times(3, (index) => service(index).listed());
  expect(lists[1]).toEqual(lists[0]);
  expect(lists[2]).toEqual(lists[0]);
  expect(Object.keys(lists[0]!)).toHaveLength(await rows());
});

test("what one instance of the service was told, every other tells from then on", async () => {
  for (let round = 0; round < 10; round++) {
    const id = `orders-${round}`;
    await service(round).register({ id });
    for (const { listed, changed } of services) {
      expect((await listed())[id]).toBe("UP");
      expect((await changed())[id]).toBe("ADDED");
    }
    await service(round + 1).send(`/apps/ORDERS/${id}/status?value=OUT_OF_SERVICE`, { method: "PUT" });
    for (const { listed } of services) expect((await listed())[id]).toBe("OUT_OF_SERVICE");
    await service(round + 2).send(`/apps/ORDERS/${id}`, { method: "DELETE" });
    for (const { listed, changed } of services) {
      expect((await listed())[id]).toBeUndefined();
      expect((await changed())[id]).toBe("DELETED");
    }
  }
});

test("a list and its hash code agree while everything changes, and a client that follows the changes arrives at the list", async () => {
  const followed = new Map<string, string>();
  let isOver = false;
  const reader = (async () => {
    while (!isOver) {
      const { applications } = await service(2).read("/apps/");
      const statuses = applications.application.flatMap((app: any) => app.instance.map(({ status }: any) => status));
      expect(applications.apps__hashcode).toBe(hashOf(statuses));
      const delta = await service(1).read("/apps/delta");
      for (const app of delta.applications.application) {
        for (const { instanceId, status, actionType } of app.instance) {
          if (actionType === "DELETED") followed.delete(instanceId);
          else followed.set(instanceId, status);
        }
      }
      expect(hashOf([...followed.values()])).toBe(delta.applications.apps__hashcode);
    }
  })();
  await times(12, async (writer) => {
    for (let step = 0; step < 8; step++) {
      const id = `orders-${(writer * 5 + step) % 9}`;
      const path = `/apps/ORDERS/${id}`;
      if (step % 4 === 3) await service(writer).send(path, { method: "DELETE" });
      else if (step % 4 === 2) await service(writer).send(`${path}/status?value=DOWN`, { method: "PUT" });
      else await service(writer).register({ id });
    }
  });
  isOver = true;
  await reader;
  expect(await live()).toBe(await rows());
}, 60_000);

test("a heartbeat that was answered with 200 is never lost to an eviction", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `orders-${index}`);
  for (let round = 0; round < 5; round++) {
    await registry.database.reset();
    await times(20, (index) => service(index).register({ id: ids[index] }));
    await service(0).sweep();
    registry.clock.time += 60_000;
    await service(0).sweep();
    registry.clock.time += 31_000;
    const [beats] = await Promise.all([times(20, async (index) => [ids[index], await service(index).beat(ids[index]!)] as const), times(3, (index) => service(index).sweep())]);
    const renewed = beats.filter(([, status]) => status === 200).map(([id]) => id);
    await service(1).sweep();
    expect(Object.keys(await service(2).listed()).toSorted()).toEqual(renewed.toSorted());
    expect(await live()).toBe(renewed.length);
  }
});

test("an eviction by three at once counts everybody once", async () => {
  await times(40, (index) => service(index).register({ id: `orders-${index}` }));
  registry.clock.time += 60_000;
  await service(0).sweep();
  registry.clock.time += 60_000;
  await Promise.all([...services.map(({ sweep }) => sweep()), ...services.map(({ listed }) => listed())]);
  expect([await rows(), await live()]).toEqual([0, 0]);
  const versions = await registry.database.query("SELECT count(DISTINCT version) AS versions, count(*) AS rows FROM discovery.instances");
  expect(versions[0]?.["versions"]).toBe(versions[0]?.["rows"]);
});

test("an instance of the service that read nothing for long reads everything anew", async () => {
  await registry.register({ id: "stays" });
  await registry.register({ id: "goes" });
  const sleeper = registry.instance();
  expect(Object.keys(await sleeper.listed())).toHaveLength(2);
  await registry.send("/apps/ORDERS/goes", { method: "DELETE" });
  for (let minute = 0; minute < 70; minute++) {
    registry.clock.time += 60_000;
    await registry.beat("stays");
    await registry.sweep();
  }
  expect(await registry.database.query("SELECT id FROM discovery.instances")).toEqual([{ id: "stays" }]);
  expect(await sleeper.listed()).toEqual({ stays: "UP" });
});

function hashOf(statuses: string[]): string {
  const counts = Object.entries(Object.groupBy(statuses, (status) => status)).map(([status, all = []]) => `${status}_${all.length}_`);
  return counts.toSorted().join("");
}
