import { findingsOf } from "../finding.ts";
import { databaseFindings } from "../findings/database.ts";

export const SYSTEM = "database";

export const found = findingsOf(SYSTEM, databaseFindings);
