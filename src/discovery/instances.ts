export const STATUSES = ["DOWN", "OUT_OF_SERVICE", "STARTING", "UNKNOWN", "UP"] as const;

export type Status = (typeof STATUSES)[number];

/** An instance of an application, as the dashboard reads it; times are milliseconds since the epoch. */
export type Instance = {
  /** Upper case, as the registry keeps it. */
  app: string;
  /** Unique within the application. */
  id: string;
  hostName: string;
  ipAddr: string;
  /** Undefined where the instance says that it does not listen there. */
  port: number | undefined;
  securePort: number | undefined;
  /** What the instance is to its callers: the operator's override, or else what it says of itself. */
  status: Status;
  /** What an operator set past the instance's own word. */
  overriddenStatus: Status | undefined;
  /** Always `http` or `https`, so that a page may link to it. */
  homePageUrl: string | undefined;
  statusPageUrl: string | undefined;
  healthCheckUrl: string | undefined;
  metadata: Record<string, string>;
  registeredAt: number;
  /** When the instance was first UP since its registration. */
  upSince: number | undefined;
  lastRenewedAt: number;
  leaseSeconds: number;
  /** Its lease is over by the registry's own clock, which stands still where the wall's jumps; nobody has evicted it yet. */
  isOver: boolean;
  /** Present on an instance that is no longer in the registry: it is kept for an hour, to be shown as gone. */
  gone?: { at: number; reason: "evicted" | "cancelled" };
};
