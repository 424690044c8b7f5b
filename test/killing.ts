// Loaded before a command, to end its process as a power cut would: right before or after that one of its changes that DIES counts.
import process from "node:process";

/** What is sent with POST and changes nothing. */
const READING = /\/(protocol\/openid-connect\/token|secret-id\/lookup)$/;

const [when, count] = (process.env["DIES"] ?? "").split(":");
const sent = globalThis.fetch;
let changes = 0;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const isChange = request.method !== "GET" && !READING.test(new URL(request.url).pathname);
  if (isChange) changes += 1;
  const isDue = isChange && changes === Number(count);
  if (isDue && when === "before") die();
  const answer = await sent(request);
  if (isDue && when === "after") die();
  return answer;
};

function die(): void {
  process.kill(process.pid, "SIGKILL");
}
