// Loaded before the command, to end its process as a power cut would: after its first write, or before its second.
import process from "node:process";

/** What is sent with POST and changes nothing. */
const READING = /\/(protocol\/openid-connect\/token|secret-id\/lookup)$/;

const sent = globalThis.fetch;
let writes = 0;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const isWrite = request.method !== "GET" && !READING.test(new URL(request.url).pathname);
  if (isWrite) writes += 1;
  if (isWrite && writes === 2) die();
  const response = await sent(request);
  if (isWrite && process.env["DIES"] === "after") die();
  return response;
};

function die(): void {
  process.kill(process.pid, "SIGKILL");
}
