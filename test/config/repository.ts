import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that the original answered from. */
export const REPOSITORY = fileURLToPath(new URL("repository", import.meta.url)).replace(/\/$/, "");

/** A folder of its own, empty unless there is one to copy. */
export function temporaryFolder(content?: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "gatehouse-config-")));
  if (content) cpSync(content, root, { recursive: true });
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Runs git there, as nobody in particular. */
export function gitIn(root: string) {
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_AUTHOR_NAME: "Test", GIT_AUTHOR_EMAIL: "test@example.com", GIT_COMMITTER_NAME: "Test", GIT_COMMITTER_EMAIL: "test@example.com" };
  return (...args: string[]): string => execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** The repository that the original answered from: branches `main`, `v1` and `feature/x`, and a tag. */
export function recordedCheckout() {
  const { root, remove } = temporaryFolder(REPOSITORY);
  const git = gitIn(root);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=The folder");
  git("tag", "--annotate", "--message=One", "tag-1");
  const main = git("rev-parse", "HEAD");
  const branch = (name: string) => {
    git("checkout", "--quiet", "-b", name, "main");
    appendFileSync(join(root, "accept-client.yml"), `accept.label: ${name}\n`);
    git("commit", "--quiet", "--all", `--message=${name}`);
    return git("rev-parse", "HEAD");
  };
  const commits = { main, v1: branch("v1"), "feature/x": branch("feature/x") };
  git("checkout", "--quiet", "main");
  return { root, remove, git, commits };
}
