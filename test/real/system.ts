/** A system outside the platform that can be had from package registries and run on loopback. */
export type System = {
  /** How it is called, also on the command line in lower case. */
  name: string;
  /** What the machine lacks for it, a sentence each. */
  missing: () => string[];
  /** Brings what starting needs into `cache`, unless it is there; on the way it may leave things in `data`. */
  prepare: (at: Place) => Promise<void>;
  /** Starts it, over what an earlier start has left in `data`, if anything, and at the same port; answers when it is ready. */
  start: (at: Place) => Promise<Running>;
};

/** Where a system runs: what `prepare` has brought, and a folder that is nobody else's. */
type Place = { cache: string; data: string };

export type Running = {
  version: string;
  /** Where it is and what opens it, by the names under which tests look for it. */
  environment: Record<string, string>;
  pid: number;
  /** Ends it in an orderly way; `SIGKILL` as a crash does. */
  stop: (signal?: NodeJS.Signals) => Promise<void>;
};
