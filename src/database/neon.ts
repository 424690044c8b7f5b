/** Whether the database at `url` is Neon's, which is reached by HTTP. */
export function isNeon(url: string): boolean {
  return new URL(url).hostname.endsWith(".neon.tech");
}
