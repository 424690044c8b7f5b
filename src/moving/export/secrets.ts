import type { Database } from "../../database/client.ts";
import { paged } from "../batches.ts";
import { OWN_APPROLES, OWN_POLICIES } from "../kinds.ts";
import type { AppRole, Policy, Secret } from "../schema.ts";
import { approlesWithout, documentAfter, policiesWithout, type SealedDocument, type SealedVersion, versionAfter } from "./secrets-store.ts";

/** Opens what a version of a document was sealed as; rejects with another key than the installation's. */
export type OpenSecret = (document: { id: string; path: string }, version: { version: number; sealed: string }) => Promise<Record<string, unknown> | null>;

export async function* exportedPolicies(db: Database): AsyncGenerator<Policy> {
  yield* await policiesWithout(db, OWN_POLICIES);
}

export async function* exportedAppRoles(db: Database): AsyncGenerator<AppRole> {
  yield* await approlesWithout(db, OWN_APPROLES);
}

/** Open: what a real store seals for itself is written to it as it is. */
export async function* exportedSecrets(db: Database, open: OpenSecret): AsyncGenerator<Secret> {
  for await (const document of paged<SealedDocument>((last) => documentAfter(db, last?.path ?? ""))) {
    const { id, path, maxVersions, isCasRequired, customMetadata } = document;
    const versions: Secret["versions"] = [];
    for await (const { isDeleted, ...version } of paged<SealedVersion>((last) => versionAfter(db, id, last?.version ?? 0))) {
      versions.push({ data: await open(document, version), isDeleted });
    }
    yield { path, settings: { max_versions: maxVersions, cas_required: isCasRequired, custom_metadata: customMetadata }, versions };
  }
}
