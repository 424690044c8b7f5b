import { base64url } from "jose";
import * as z from "zod";

/** How far a stream has come: of each topic, for each partition, the first offset it has not told of. */
export type Place = Record<string, number[]>;

const PlaceSchema = z.record(z.string().max(249), z.array(z.int().nonnegative()).max(1000));

/** `place` as the id of an event, which says nothing to whoever gets it. */
export function idOf(place: Place): string {
  return base64url.encode(JSON.stringify(place));
}

/** Undefined for what is no id of ours. */
export function placeIn(id: string): Place | undefined {
  try {
    return PlaceSchema.safeParse(JSON.parse(new TextDecoder().decode(base64url.decode(id)))).data;
  } catch {
    return undefined;
  }
}
