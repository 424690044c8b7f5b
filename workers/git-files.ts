import { execFile } from "node:child_process";
import process from "node:process";
import { type ConfigFiles, MAX_FILE_BYTES, type Snapshot, tooLarge } from "../src/config/files.ts";
import { SettingsError } from "../src/env.ts";
import { Problem } from "../src/http/problem.ts";
import { type Blob, keptBlobs } from "./git-blobs.ts";

const MAX_COMMIT_FILES = 10_000;
const MAX_COMMITS = 16;
const MAX_WAITING = 256;
const GIT_TIMEOUT_MS = 5000;
/** How `git show-ref` ends where there is no ref. */
const NOTHING_COMMITTED = 1;
/** Of the lists of refs and of files; a file's content has its own bound. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;
const MAX_REASON = 300;

export function hasGit(): Promise<boolean> {
  return git(["--version"], { max: 1000 }).then(() => true, () => false);
}

/** Not served, above all `.git` itself. */
export function isHidden(name: string): boolean {
  return name.startsWith(".");
}

/** What is committed in the checkout at `root`; a commit is read once. Throws a SettingsError where git refuses to read there. */
export async function openGitFiles(root: string): Promise<ConfigFiles> {
  await checkReadable(root);
  const commits = new Map<string, Promise<Snapshot>>();
  const run = queued((args: readonly string[], max: number) => git(args, { cwd: root, max }));
  const refs = shared(() => done(run(["show-ref", "--head", "--dereference"], MAX_LIST_BYTES), NOTHING_COMMITTED).then(({ stdout }) => refsIn(stdout.toString())));

  const fileOf = keptBlobs(async ({ id }) => {
    const { stdout: bytes } = await done(run(["cat-file", "blob", id], MAX_FILE_BYTES));
    return { bytes };
  });

  async function at(label: string | undefined): Promise<Snapshot | undefined> {
    const commit = await commitOf(label ?? "HEAD");
    if (commit === undefined) return undefined;
    const snapshot = commits.get(commit) ?? snapshotOf(commit);
    commits.delete(commit);
    commits.set(commit, snapshot);
    if (commits.size > MAX_COMMITS) commits.delete(commits.keys().next().value ?? "");
    snapshot.catch(() => commits.delete(commit));
    return snapshot;
  }

  async function commitOf(label: string): Promise<string | undefined> {
    const known = await refs();
    const names = label === "HEAD" ? ["HEAD"] : [`refs/heads/${label}`, `refs/tags/${label}`, `refs/remotes/origin/${label}`];
    const name = names.find((one) => known.has(one));
    if (name !== undefined) return known.get(name);
    if (!/^[0-9a-f]{7,64}$/.test(label)) return undefined;
    // Only what a branch or a tag leads to: what somebody took back is still in the repository.
    const { stdout, code } = await run(["for-each-ref", "--count=1", `--contains=${label}`, "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes/origin"], 10_000);
    if (code !== 0 || stdout.length === 0) return undefined;
    const parsed = await run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${label}^{commit}`], 1000);
    return parsed.code === 0 ? parsed.stdout.toString().trim() : undefined;
  }

  async function snapshotOf(commit: string): Promise<Snapshot> {
    const { stdout } = await done(run(["ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit], MAX_LIST_BYTES));
    const blobs = blobsIn(stdout.toString());
    if (blobs.size > MAX_COMMIT_FILES) throw new Problem("CONFIG_TOO_LARGE_422", `The configuration has more than ${MAX_COMMIT_FILES} files`);
    const read = async (name: string) => {
      const blob = blobs.get(name);
      if (!blob || blob.size > MAX_FILE_BYTES) throw tooLarge(name);
      return fileOf(blob);
    };
    return { location: `file://${root}/`, revision: commit, names: new Set(blobs.keys()), read };
  }

  return { at };
}

/** Asks git once: what it refuses now, it refuses at each request. */
async function checkReadable(root: string): Promise<void> {
  const { code, reason } = await git(["rev-parse", "--git-dir"], { cwd: root, max: MAX_LIST_BYTES });
  if (code === 0) return;
  const remedy = reason.includes("dubious ownership") ? `. It belongs to another user; allow it with: git config --global --add safe.directory "${root}"` : "";
  throw new SettingsError(`Cannot read the configuration in "${root}": git ended with ${code}: ${reason}${remedy}`);
}

/** Ref → commit; an annotated tag comes a second time, with what it is of. */
function refsIn(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^([0-9a-f]{40,64}) (\S+?)(?:\^\{\})?$/gm)].map(([, commit = "", name = ""]) => [name, commit]));
}

/** Ordinary files: a link leads anywhere, a submodule is another repository. */
function blobsIn(text: string): Map<string, Blob> {
  const blobs = text.split("\0").flatMap((line): [string, Blob][] => {
    const [, id, size, name = ""] = /^100(?:644|755|664) blob ([0-9a-f]{40,64}) +(\d+)\t(.+)$/s.exec(line) ?? [];
    return id === undefined || name.split("/").some(isHidden) ? [] : [[name, { id, size: Number(size) }]];
  });
  return new Map(blobs);
}

/** `reason`: the first line of what git says of it. */
type Done = { code: number; stdout: Buffer; reason: string };

async function done(running: Promise<Done>, ...alsoGood: number[]): Promise<Done> {
  const result = await running;
  if (result.code === 0 || alsoGood.includes(result.code)) return result;
  throw unavailable(new Error(`git ended with ${result.code}: ${result.reason}`));
}

/** One at a time: each is over in milliseconds, and a crowd of them would not be. */
function queued(work: (args: readonly string[], max: number) => Promise<Done>): typeof work {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (args, max) => {
    if (waiting >= MAX_WAITING) return Promise.reject(unavailable(new Error(`${MAX_WAITING} readers are waiting`)));
    waiting += 1;
    const next = last.then(() => work(args, max)).finally(() => {
      waiting -= 1;
    });
    last = next.catch(() => undefined);
    return next;
  };
}

/** One answer for all who ask while it is on its way. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/** Runs git with nothing of this process' environment but where to find it; no shell, no prompt, no fetching of what is missing. */
function git(args: readonly string[], { cwd, max }: { cwd?: string; max: number }): Promise<Done> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_NO_REPLACE_OBJECTS: "1" };
  return new Promise((resolve, reject) => {
    execFile("git", args, { ...(cwd !== undefined && { cwd }), env, encoding: "buffer", maxBuffer: max, timeout: GIT_TIMEOUT_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number") reject(unavailable(error));
      else resolve({ code: Number(error?.code ?? 0), stdout, reason: firstLine(stderr) });
    });
  });
}

function firstLine(text: Buffer): string {
  return text.toString().split("\n", 1)[0]!.slice(0, MAX_REASON);
}

function unavailable(cause: unknown): Problem {
  return new Problem("UPSTREAM_UNAVAILABLE_503", "The configuration's repository cannot be read", { retryAfter: 1, cause });
}
