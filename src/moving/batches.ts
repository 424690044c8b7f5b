/** Rows in the order of their keys, some at a time: `read` answers those that come after the last one it answered. */
export async function* paged<Row>(read: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await read(undefined); rows.length > 0; rows = await read(rows.at(-1))) yield* rows;
}

/** All of `items`, so many at a time and, where each has a `size`, no more together than `most` unless it is one. */
export async function* batches<Item>(items: AsyncIterable<Item>, { count, most = Infinity, size = () => 0 }: BatchLimits<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  let sum = 0;
  for await (const item of items) {
    if (batch.length > 0 && (batch.length === count || sum + size(item) > most)) {
      yield batch;
      batch = [];
      sum = 0;
    }
    batch.push(item);
    sum += size(item);
  }
  if (batch.length > 0) yield batch;
}

type BatchLimits<Item> = { count: number; most?: number; size?: (item: Item) => number };
