/** The parts of the package that the tests use; it has no types of its own. */
declare module "eureka-js-client" {
  import type { EventEmitter } from "node:events";

  type Callback = (error?: Error | null) => void;

  export class Eureka extends EventEmitter {
    constructor(config: object);
    start(callback: Callback): void;
    stop(callback: Callback): void;
    renew(): void;
    fetchRegistry(callback: Callback): void;
    getInstancesByAppId(app: string): { instanceId: string; status: string; metadata: Record<string, string> }[];
    getInstancesByVipAddress(vip: string): { instanceId: string; hostName: string }[];
  }
}
