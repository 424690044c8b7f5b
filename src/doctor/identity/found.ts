import { findingsOf } from "../finding.ts";
import { identityFindings } from "../findings/identity.ts";

export const SYSTEM = "identity";

export const found = findingsOf(SYSTEM, identityFindings);
