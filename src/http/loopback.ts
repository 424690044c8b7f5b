const NAME = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Whether a request that only this machine can send also names this machine. Another name could be a stranger's, led to
 * this machine to be read by a script in its user's browser (DNS rebinding).
 */
export function isForLoopback(url: string): boolean {
  return NAME.test(new URL(url).hostname);
}
