import type { BasicCredential } from "../../http/basic.ts";
import type { Log } from "../../http/log.ts";
import type { Cluster, Topic } from "./cluster.ts";

/** What the handlers of one REST interface share. */
export type Rest<T extends Topic> = {
  cluster: Cluster<T>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Hears of defects. */
  log: Log;
};

export type RestNeeds<T extends Topic> = Rest<T> & {
  /** What callers must present (RFC 7617); without it, everybody may come in. */
  credentials?: BasicCredential | undefined;
};
