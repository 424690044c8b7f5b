import { parsePolicy, type Rule } from "./policy.ts";

export type Policy = { name: string; hcl: string; rules: Rule[] };

const DEFAULT_HCL = `
# Allow tokens to look up their own properties
path "auth/token/lookup-self" {
    capabilities = ["read"]
}

# Allow tokens to renew themselves
path "auth/token/renew-self" {
    capabilities = ["update"]
}

# Allow tokens to revoke themselves
path "auth/token/revoke-self" {
    capabilities = ["update"]
}
`;

/** What every token may do unless its role says otherwise; another text may be written over it. */
export const DEFAULT_POLICY: Policy = { name: "default", hcl: DEFAULT_HCL, rules: parsePolicy(DEFAULT_HCL) };

/** It has no text, and no token of this server has it. */
export const ROOT_POLICY: Policy = { name: "root", hcl: "", rules: [] };

/** Vault keeps these for itself. */
export const RESERVED = ["root", "response-wrapping", "control-group"];
