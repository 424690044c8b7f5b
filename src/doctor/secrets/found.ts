import { findingsOf } from "../finding.ts";
import { secretsFindings } from "../findings/secrets.ts";

export const SYSTEM = "secrets";

export const found = findingsOf(SYSTEM, secretsFindings);
