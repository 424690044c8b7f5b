import { findingsOf } from "../finding.ts";
import { settingsFindings } from "../findings/settings.ts";

export const SYSTEM = "settings";

export const found = findingsOf(SYSTEM, settingsFindings);
