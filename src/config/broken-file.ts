/** Why a file cannot be read, and where; line and column from 1. */
export class BrokenFile extends Error {
  override readonly name = "BrokenFile";
  readonly at: { line: number; column: number } | undefined;

  constructor(reason: string, at?: { line: number; column: number }) {
    super(reason);
    this.at = at;
  }
}
