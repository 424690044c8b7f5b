import { hostname } from "node:os";
import { expect, test } from "vitest";
import { readSettings, SettingsError } from "../../src/env.ts";
import { registrationBody } from "../../src/registry/instance.ts";
import { processSettings } from "../../src/settings/process.ts";
import { instanceAddress } from "../../workers/registrations.ts";

const HERE = "http://eureka:pw@localhost:8761/eureka,http://eureka:pw@127.0.0.1:8762/eureka";
const ELSEWHERE = `${HERE},http://eureka:pw@registry.example:8761/eureka`;

const placed = (settings: Record<string, string>, url: string) => instanceAddress(readSettings(processSettings, settings), url);

test.each<[settings: Record<string, string>, url: string, hostName: string, ipAddr: string | RegExp]>([
  [{}, HERE, "localhost", "127.0.0.1"],
  [{ HOST: "localhost" }, HERE, "localhost", "127.0.0.1"],
  [{ HOST: "10.0.0.7" }, ELSEWHERE, "10.0.0.7", "10.0.0.7"],
  [{ HOST: "10.0.0.7" }, HERE, "10.0.0.7", "10.0.0.7"],
  [{ HOST: "users.internal" }, ELSEWHERE, "users.internal", /^[\d.]+$/],
  [{ HOST: "2001:db8::7" }, ELSEWHERE, "2001:db8::7", "2001:db8::7"],
  [{ HOST: "0.0.0.0" }, ELSEWHERE, hostname(), /^[\d.]+$/],
  [{ HOST: "::" }, ELSEWHERE, hostname(), /^[\d.]+$/],
  [{ HOST: "0.0.0.0", INSTANCE_HOST: "node-1.internal" }, ELSEWHERE, "node-1.internal", /^[\d.]+$/],
  [{ INSTANCE_HOST: "10.0.0.9" }, ELSEWHERE, "10.0.0.9", "10.0.0.9"],
])("With %j at %s a process is known as %s", (settings, url, hostName, ipAddr) => {
  expect(placed(settings, url)).toEqual({ hostName, ipAddr: typeof ipAddr === "string" ? ipAddr : expect.stringMatching(ipAddr) });
});

test.each<Record<string, string>>([{}, { HOST: "localhost" }, { HOST: "::1" }, { HOST: "10.0.0.7", INSTANCE_HOST: "127.0.0.1" }])("With %j another machine's registry is told of nobody: there it would be another process", (settings) => {
  expect(() => placed(settings, ELSEWHERE)).toThrow(SettingsError);
  expect(() => placed(settings, ELSEWHERE)).toThrow(/at another machine's registry: set HOST .* INSTANCE_HOST/);
});

test("An IPv6 address is one in the URLs that are registered", () => {
  const { instance } = registrationBody({ name: "user-service", hostName: "2001:db8::7", ipAddr: "2001:db8::7", port: 8086 }, { status: "UP", at: 0 });
  expect(instance).toMatchObject({ hostName: "2001:db8::7", homePageUrl: "http://[2001:db8::7]:8086/", healthCheckUrl: "http://[2001:db8::7]:8086/actuator/health" });
});

test.each(["a b", "http://a", "a/b", "a:8086", "[::1]"])("INSTANCE_HOST may not be %j", (INSTANCE_HOST) => {
  expect(() => readSettings(processSettings, { INSTANCE_HOST })).toThrow("INSTANCE_HOST: Use a host name or an address");
});
