/** `not-checked`: what it stands on is not there, or nothing shows it. */
export type Status = "ok" | "warning" | "error" | "not-checked";

export type Finding = {
  system: string;
  /** What was checked, such as `issuer`. */
  check: string;
  /** Which of the findings that this check can come to: `issuer-differs`. */
  code: string;
  status: Status;
  /** What is. */
  sentence: string;
  /** What mends it: the exact setting or command; null where nothing is to be mended. */
  remedy: string | null;
};

/** One row of a table of findings; `{names}` in its texts stand for what was found. */
type Row = { check: string; status: Exclude<Status, "not-checked">; sentence: string; remedy?: string };

export type Table = Readonly<Record<string, Row>>;

/** The findings of one system, until nothing is left to check; the return value is why the rest could not be. */
export type Findings = AsyncGenerator<Finding, string | undefined>;

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Texts<R extends Row> = R["sentence"] | (R extends { remedy: infer Remedy } ? Remedy : never);
type Values<R extends Row> = [Names<Texts<R>>] extends [never] ? [] : [values: Record<Names<Texts<R>>, string | number>];

/** Makes findings of `system` out of its table: by code, with a value for each name in the texts. */
export function findingsOf<T extends Table>(system: string, table: T) {
  return <Code extends keyof T & string>(code: Code, ...[values]: Values<T[Code]>): Finding => {
    const { check, status, sentence, remedy } = table[code]!;
    const filled = (text: string) => text.replace(/\{(\w+)\}/g, (name, key: string) => String((values as Record<string, unknown> | undefined)?.[key] ?? name));
    return { system, check, code, status, sentence: filled(sentence), remedy: remedy === undefined ? null : filled(remedy) };
  };
}

export function notChecked(system: string, check: string, because: string): Finding {
  return { system, check, code: "not-checked", status: "not-checked", sentence: because, remedy: null };
}
