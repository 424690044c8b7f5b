import { describe, expect, test } from "vitest";
import { isRefusedHost } from "../../src/registry/address.ts";

const hostOf = (host: string) => new URL(`http://${host}/`).hostname;

const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.169.254.",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.43518",
  "0xA9.254.0251.254",
  "１６９.254.169.254",
  "169。254。169。254",
  "[::ffff:169.254.169.254]",
  "[::ffff:a9fe:a9fe]",
  "[0:0:0:0:0:ffff:a9fe:a9fe]",
  "[::169.254.169.254]",
  "[::ffff:0:169.254.169.254]",
  "[64:ff9b::169.254.169.254]",
  "[64:ff9b:1::a9fe:a9fe]",
  "[2002:a9fe:a9fe::1]",
  "[fd00:ec2::254]",
  "[fd20:ce::254]",
  "[fd00:42::42]",
  "metadata",
  "metadata.google.internal",
  "METADATA.google.internal.",
  "169.254.169.254.nip.io",
  "instance-data.ec2.internal",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
];

describe("No instance is called at", () => {
  test.each(METADATA)("a cloud's metadata: %s", (host) => {
    expect(isRefusedHost(hostOf(host))).toBe(true);
  });

  test.each(["0.0.0.0", "0", "0.1.2.3", "[::]", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "[ff02::1]", "[fe80::1]", "[febf::1]", "[::ffff:0.0.0.0]"])(
    "an address of everybody, nobody or the link: %s",
    (host) => {
      expect(isRefusedHost(hostOf(host))).toBe(true);
    },
  );
});

test.each(["localhost", "127.0.0.1", "[::1]", "10.0.0.7", "172.16.0.1", "192.168.1.1", "[fd12:3456::7]", "[2001:db8::1]", "[::ffff:10.0.0.7]", "orders", "orders-1.example", "metadata.example", "169.253.0.1", "100.100.100.201", "223.255.255.1"])(
  "An instance may be called at %s",
  (host) => {
    expect(isRefusedHost(hostOf(host))).toBe(false);
  },
);
