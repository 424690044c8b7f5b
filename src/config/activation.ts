import { BrokenFile } from "./broken-file.ts";
import { type ProfileTest, profileExpression } from "./profile-expression.ts";
import { type Properties, type Property, textOf } from "./value.ts";

const ON_PROFILE = "spring.config.activate.onprofile";
const ON_CLOUD_PLATFORM = "spring.config.activate.oncloudplatform";
/** Spring Boot took this away; a document that still has it would otherwise be for every profile. */
const LEGACY = "spring.profiles";

/** For which profiles a document is; one for a cloud platform is for none, since the server is on none. */
export function activation(properties: Properties): ProfileTest {
  const named = (canonical: string) => [...properties].filter(([name]) => canonicalName(name) === canonical).map(([, property]) => property);
  const [legacy] = named(LEGACY);
  if (legacy) throw new BrokenFile('"spring.profiles" is no longer read: use "spring.config.activate.on-profile"', placeOf(legacy));
  if (named(ON_CLOUD_PLATFORM).length > 0) return () => false;
  const tests = named(ON_PROFILE).flatMap(expressionsOf);
  return tests.length === 0 ? () => true : (profiles) => tests.some((test) => test(profiles));
}

/** Spring's relaxed binding: dashes, underscores and case do not count, nor does the place in a list. */
function canonicalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]|\[\d+\]$/g, "");
}

function expressionsOf(property: Property): ProfileTest[] {
  const parts = textOf(property.value).split(",").map((part) => part.trim());
  try {
    return parts.filter((part) => part !== "").map(profileExpression);
  } catch (error) {
    throw error instanceof BrokenFile ? new BrokenFile(error.message, placeOf(property)) : error;
  }
}

function placeOf({ origin }: Property): { line: number; column: number } {
  const [line = 1, column = 1] = origin.split(":").map(Number);
  return { line, column };
}
