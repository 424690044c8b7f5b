/** Of two names, by their code units: the same on every machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
