const NAME = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** What proxies add: whoever sent it may be anywhere, whatever name the proxy has for us. */
const PROXIED = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Whether a request that only this machine can send also names this machine, and says of no proxy that it passed it on.
 * Another name could be a stranger's, led to this machine to be read by a script in its user's browser (DNS rebinding).
 * A proxy that adds nothing is not seen here: `PUBLIC_URL` has to tell of it.
 */
export function isForLoopback({ url, headers }: Request): boolean {
  return isLoopbackUrl(url) && !PROXIED.some((name) => headers.has(name));
}

/** Whether `url` names this machine. */
export function isLoopbackUrl(url: string): boolean {
  return NAME.test(new URL(url).hostname);
}
