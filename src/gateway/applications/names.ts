/** First segments that the gateway answers itself or that must lead nowhere. */
const SEGMENTS = ["actuator", "api", "eureka", "internal", "swagger-ui", "v3"];
/** What the platform itself registers, or may. */
const SERVICES = ["gateway", "user-service", "auth-service", "admin-service", "config-server", "discovery-service"];

export const RESERVED: ReadonlySet<string> = new Set([...SEGMENTS, ...SERVICES]);

/** Without dots, which the names of the gateway's own files have: `style.css`. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Whether `/{name}/**` may lead to registered instances; `name` in lower case. */
export function isRoutable(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}
