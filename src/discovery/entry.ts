import type { Details } from "./eureka/registration.ts";
import type { Instance, Status } from "./instances.ts";

/** An instance as the registry keeps it; times are milliseconds since the epoch. */
export type Entry = {
  app: string;
  id: string;
  details: Details;
  status: Status;
  overridden: Status;
  lastDirty: number;
  renewalSeconds: number;
  leaseSeconds: number;
  registeredAt: number;
  renewedAt: number;
  updatedAt: number;
  upAt: number | undefined;
  /** Of the registry when it last changed. */
  version: number;
  /** When it last changed, in lease time. */
  changed: number;
  action: "ADDED" | "MODIFIED" | "DELETED";
  gone: Instance["gone"];
};
