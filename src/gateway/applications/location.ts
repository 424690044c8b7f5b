import { isBelow } from "../routing.ts";

/**
 * Where a redirect of an application leads for who came through the gateway; `asked` is the URL it was asked at. One
 * that stays at the instance gets the prefix, unless it is a path that has it already, as of an application that heeds
 * `X-Forwarded-Prefix`. Where else one leads is the application's business. Undefined for what is no web address.
 */
export function relocated(location: string, { asked, prefix }: { asked: string; prefix: string }): string | undefined {
  const { origin } = new URL(asked);
  if (!URL.canParse(location, asked)) return undefined;
  const to = new URL(location, asked);
  if (!/^https?:$/.test(to.protocol)) return undefined;
  if (to.origin !== origin) return to.href;
  const isPrefixed = location.startsWith("/") && isBelow(to.pathname, [prefix]);
  return `${isPrefixed ? "" : prefix}${to.pathname}${to.search}${to.hash}`;
}
