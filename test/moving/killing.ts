// Loaded before the command: ends it, as a power cut does, right after the change to a system behind it that DIES_AFTER counts.
const { fetch } = globalThis;
let left = Number(process.env["DIES_AFTER"]);

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const isChange = request.method !== "GET" && !request.url.endsWith("/token");
  const answer = await fetch(request);
  if (isChange && --left === 0) process.kill(process.pid, "SIGKILL");
  return answer;
};
