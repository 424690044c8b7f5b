import { BrokenFile } from "./broken-file.ts";

/** Characters of names and values together: of one file, and of one answer. */
export const MAX_SIZE = 1024 * 1024;
const MAX_NODES = 50_000;
const MAX_NAME_LENGTH = 1000;

/** Counts what a file comes to while it is taken apart: aliases make much of little. */
export type Budget = {
  /** One more value, list or map. */
  node: () => void;
  /** One more property; `name` is its whole name. */
  property: (name: string, text: string) => void;
};

export function budget(): Budget {
  let nodes = 0;
  let size = 0;
  return {
    node() {
      nodes += 1;
      if (nodes > MAX_NODES) throw new BrokenFile(`it has more than ${MAX_NODES} values`);
    },
    property(name, text) {
      size += name.length + text.length;
      if (name.length > MAX_NAME_LENGTH) throw new BrokenFile(`a name is longer than ${MAX_NAME_LENGTH} characters`);
      if (size > MAX_SIZE) throw new BrokenFile(`its values are more than ${MAX_SIZE} characters`);
    },
  };
}
