import type { Rule } from "../policies/policy.ts";

/** The longest that a token of this server lasts, and how long one lasts whose role says nothing. */
export const MAX_TTL_SECONDS = 2_764_800;

/** A token that is good at this moment, with what its policies say at this moment. */
export type Token = {
  hash: string;
  accessor: string;
  role: string;
  policies: string[];
  metadata: Record<string, string>;
  created: number;
  /** Seconds. */
  ttl: number;
  expires: number;
  endsAtLast: number;
  usesLeft: number | null;
  rules: Rule[];
};
