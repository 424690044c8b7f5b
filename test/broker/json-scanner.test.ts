import { expect, it } from "vitest";
import { jsonScanner } from "../../src/broker/rest/json-scanner.ts";

const OBJECTS = ['{"a":"}\\"{"}', '{"b":[{"c":1},{}]}', "{}"];

it.each([1, 2, 3, 7, 1000])("cuts a stream where its objects end, %i characters at a time", (size) => {
  const scanner = jsonScanner();
  const stream = ` ${OBJECTS.join("\n")} `;
  const texts: string[] = [];
  for (let at = 0; at < stream.length; at += size) texts.push(...scanner.push(stream.slice(at, at + size)).texts);
  expect(texts).toEqual(OBJECTS);
  expect(scanner.end()).toBeUndefined();
});

it("reads an object that comes in many pieces as quickly as one that comes whole", () => {
  const piece = "x".repeat(64);
  const scanner = jsonScanner();
  const began = performance.now();
  scanner.push('{"a":"');
  for (let index = 0; index < 16_000; index++) scanner.push(piece);
  expect(scanner.push('"}').texts[0]).toHaveLength(8 + 64 * 16_000);
  // Joined for each piece it would be seconds.
  expect(performance.now() - began).toBeLessThan(1500);
});

it("says where a stream is none of objects, and where it ends in one", () => {
  const scanner = jsonScanner();
  expect(scanner.push('{"a":1} x')).toMatchObject({ texts: ['{"a":1}'], fault: { message: "Bad Request: Error processing message: Expected an object" } });
  const open = jsonScanner();
  expect(open.push('{"a":')).toEqual({ texts: [] });
  expect(open.end()).toMatchObject({ message: "Bad Request: Error processing message: Unexpected end-of-input" });
});
