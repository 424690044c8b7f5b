import { findingsOf } from "../finding.ts";
import { settingsFindings } from "../findings/settings.ts";

export const found = findingsOf("settings", settingsFindings);
