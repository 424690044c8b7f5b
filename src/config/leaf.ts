import type { Scalar } from "./value.ts";

/** A value on its way into a file format; `substituted` is a text that placeholders have changed. */
export type Leaf = Scalar | { substituted: string };

/** What properties come to when their names are taken apart again. A gap in a list is null. */
export type Tree = Leaf | null | Tree[] | Map<string, Tree>;
