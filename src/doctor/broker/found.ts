import { findingsOf } from "../finding.ts";
import { brokerFindings } from "../findings/broker.ts";

export const SYSTEM = "broker";

export const found = findingsOf(SYSTEM, brokerFindings);
