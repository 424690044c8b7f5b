import { httpUrl } from "../http-url.ts";
import type { Entry } from "./view.ts";

type Links = { documentation?: string | undefined; health?: string | undefined };

/** Where people read about an instance: only http and https, without credentials, and nothing of one that is gone. */
export function linksOf({ instance, member }: Entry): Links {
  if (member) {
    const base = httpUrl(member.publicUrl)?.href.replace(/\/$/, "");
    return base === undefined ? {} : { documentation: `${base}/swagger-ui/index.html`, health: `${base}/actuator/health` };
  }
  if (!instance || instance.gone) return {};
  const health = httpUrl(instance.healthCheckUrl);
  const home = httpUrl(instance.homePageUrl) ?? (health && new URL("/", health));
  return { documentation: home && new URL("swagger-ui/index.html", home).href, health: health?.href };
}
