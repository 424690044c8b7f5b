const UNITS = [["days", 86_400], ["h", 3600], ["min", 60]] as const;

/** `seconds` as people say them: `5 min`, `10 h`, `30 days`. */
export function durationOf(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size || seconds === size) ?? ["s", 1];
  return `${Math.round(seconds / size)} ${unit}`;
}
