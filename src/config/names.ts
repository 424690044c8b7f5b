import { type FieldError, Problem } from "../http/problem.ts";

/** What a caller asks for, checked: nothing in it can lead out of the files. */
export type Asked = {
  /** As sent, `(_)` read as `/`. */
  application: string;
  profiles: string;
  label: string | undefined;
  /** The applications, and the profiles, each once. */
  names: readonly string[];
  active: readonly string[];
};

const MAX_NAMES = 8;
const MAX_PROFILES = 16;
const MAX_LENGTH = 128;
const MAX_LABEL_LENGTH = 200;

const NAME = /^[\p{L}\p{N}_](?:[\p{L}\p{N}._-]*[\p{L}\p{N}_])?$/u;
const PROFILE = /^[\p{L}\p{N}_](?:[\p{L}\p{N}._+@-]*[\p{L}\p{N}_+@])?$/u;
const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}._+@=,-]*[\p{L}\p{N}_+@=,-])?$/u;

/** Throws `VALIDATION_FAILED_400` with everything that is not a name. */
export function readAsked({ application, profiles, label }: { application: string; profiles: string; label?: string | undefined }): Asked {
  const asked = { application: slashes(application), profiles, label: label === undefined ? undefined : slashes(label) };
  const names = [...new Set(asked.application.split(","))];
  const active = [...new Set(profiles.split(","))];
  const errors: FieldError[] = [];
  if (!names.every((name) => name.length <= MAX_LENGTH && name.split("/").every((part) => isOne(NAME, part)))) {
    errors.push({ path: "application", message: "Use letters, digits, dots, dashes and underscores, and (_) for a slash" });
  }
  if (names.length > MAX_NAMES) errors.push({ path: "application", message: `Name at most ${MAX_NAMES} applications` });
  if (!active.every((profile) => profile.length <= MAX_LENGTH && isOne(PROFILE, profile))) {
    errors.push({ path: "profiles", message: "Use names with letters, digits, dots, dashes and underscores, commas between them" });
  }
  if (active.length > MAX_PROFILES) errors.push({ path: "profiles", message: `Name at most ${MAX_PROFILES} profiles` });
  if (asked.label !== undefined && !isLabel(asked.label)) {
    errors.push({ path: "label", message: "Use the name of a branch or a tag, and (_) for a slash" });
  }
  if (errors.length === 0) return { ...asked, names, active };
  throw new Problem("VALIDATION_FAILED_400", `Check ${[...new Set(errors.map(({ path }) => path))].join(", ")}`, { errors });
}

/** Also what `git` would not take for a revision expression, an option or a path. */
function isLabel(label: string): boolean {
  return label.length <= MAX_LABEL_LENGTH && label.split("/").every((part) => isOne(LABEL, part) && !part.endsWith(".lock"));
}

function isOne(pattern: RegExp, part: string): boolean {
  return pattern.test(part) && !part.includes("..");
}

function slashes(name: string): string {
  return name.replaceAll("(_)", "/");
}

export type FileFormat = "yml" | "yaml" | "properties" | "json";

/** `my-app-dev.yml` is `my-app` for `dev`: the last hyphen parts them. Undefined for what is no such name. */
export function readFileName(file: string): { application: string; profiles: string; format: FileFormat } | undefined {
  const [, application, profiles, format] = /^(.*)-([^-]*)\.(yml|yaml|properties|json)$/u.exec(file) ?? [];
  if (application === undefined || profiles === undefined) return undefined;
  return { application, profiles, format: format as FileFormat };
}
