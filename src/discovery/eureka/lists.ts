import type { Entry } from "../entry.ts";
import { DELTA_MS, type Mirror } from "../mirror.ts";
import { changedEntries, liveEntries, type RegistryReader } from "../registry-reader.ts";
import { applicationDocument, applicationsDocument, type Form, hashCode, instanceText } from "./representation.ts";

/** A document, and what names its content: the same name, the same content. */
export type List = { name: string; text: string };

/** `since`: the oldest of `entries`, in lease time; `documents`: of each form. */
type Changes = { entries: readonly Entry[]; since: number; documents: Map<string, string> };

type Live = { version: number; entries: Entry[]; hash: string; documents: Map<string, string>; changes?: Changes };

/** What lists of vips say instead of a version. */
const NO_VERSION = -1;

/**
 * The lists that clients fetch. What an instance's text is, is kept until the instance changes, and the whole list
 * until anything does: heartbeats change nothing, so a list tells the last renewal as of the last change.
 */
export function lists({ read }: RegistryReader) {
  const texts = new WeakMap<Entry, Map<string, string>>();
  const live = new WeakMap<Mirror, Live>();

  function textOf(entry: Entry, form: Form): string {
    const known = texts.get(entry) ?? new Map<string, string>();
    const name = nameOf(form);
    const text = known.get(name) ?? instanceText(entry, form);
    texts.set(entry, known.set(name, text));
    return text;
  }

  function liveIn(mirror: Mirror): Live {
    const known = live.get(mirror);
    if (known?.version === mirror.version) return known;
    const entries = liveEntries(mirror);
    const made: Live = { version: mirror.version, entries, hash: hashCode(entries), documents: new Map<string, string>() };
    live.set(mirror, made);
    return made;
  }

  /** While nothing changes, changes only grow too old to be told. */
  function changesIn(mirror: Mirror): Changes {
    const known = liveIn(mirror);
    if (known.changes && known.changes.since >= mirror.leaseTime - DELTA_MS) return known.changes;
    const entries = changedEntries(mirror);
    known.changes = { entries, since: entries.reduce((since, { changed }) => Math.min(since, changed), Infinity), documents: new Map() };
    return known.changes;
  }

  function document(entries: readonly Entry[], { version, hash, form }: { version: number; hash: string; form: Form }): string {
    const apps = new Map<string, string[]>();
    for (const entry of entries) {
      const app = apps.get(entry.app) ?? [];
      app.push(textOf(entry, form));
      apps.set(entry.app, app);
    }
    return applicationsDocument({ version, hash, apps, form });
  }

  async function byVip(name: "vipAddress" | "secureVipAddress", { vip, form }: { vip: string; form: Form }): Promise<string> {
    const { entries } = liveIn(await read());
    const found = entries.filter(({ details }) => details[name]?.split(",").includes(vip));
    return document(found, { version: NO_VERSION, hash: hashCode(found), form });
  }

  return {
    async all(form: Form): Promise<List> {
      const mirror = await read();
      const { version, entries, hash, documents } = liveIn(mirror);
      const name = nameOf(form);
      const text = documents.get(name) ?? document(entries, { version, hash, form });
      documents.set(name, text);
      return { name: `${mirror.epoch} ${version} ${name}`, text };
    },

    async changes(form: Form): Promise<List> {
      const mirror = await read();
      const { version, hash } = liveIn(mirror);
      const { entries, since, documents } = changesIn(mirror);
      const name = nameOf(form);
      const text = documents.get(name) ?? document(entries, { version, hash, form });
      documents.set(name, text);
      return { name: `${mirror.epoch} ${version} ${since} ${name}`, text };
    },

    /** Undefined for an application without instances. */
    async application(app: string, form: Form): Promise<string | undefined> {
      const found = liveIn(await read()).entries.filter((entry) => entry.app === app);
      if (found.length === 0) return undefined;
      return applicationDocument(app, found.map((entry) => textOf(entry, form)), form.format);
    },

    vip: (vip: string, form: Form) => byVip("vipAddress", { vip, form }),
    secureVip: (vip: string, form: Form) => byVip("secureVipAddress", { vip, form }),
  };
}

function nameOf({ format, isCompact }: Form): string {
  return `${format} ${isCompact ? "compact" : "full"}`;
}
