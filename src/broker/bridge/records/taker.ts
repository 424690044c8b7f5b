import { pause } from "../../../http/pause.ts";
import type { StoredRecord } from "../../rest/cluster.ts";
import type { Decompress } from "./compression.ts";
import { type Batch, recordsIn, storedRecord } from "./decode.ts";

/** Offsets, the last included, and why nothing of them can be read. */
export type Lost = { from: number; to: number; fault: unknown };

type Wanted = { from: number; max: number; maxBytes: number };

/** After so much has been unpacked, or looked through, others have their turn. */
const BREATH_BYTES = 1024 * 1024;
const BREATH_RECORDS = 10_000;

/** Takes records out of batches in their order, at least one and else no more than there is room for; what cannot be read is passed over. */
export function taker({ from, max, maxBytes }: Wanted, { decompress, passOver }: { decompress: Decompress; passOver: (lost: Lost) => void }) {
  const records: StoredRecord[] = [];
  let next = from;
  let left = maxBytes;
  let isFull = false;
  let lost: Lost | undefined;

  function lose(more: Lost): void {
    if (lost && lost.to + 1 === more.from) lost.to = more.to;
    else {
      tell();
      lost = { ...more };
    }
  }

  function tell(): void {
    if (lost) passOver(lost);
    lost = undefined;
  }

  async function takeFrom(batch: Batch): Promise<void> {
    const unpacked = await decompress(batch.codec, batch.body);
    if (unpacked.bytes.length > BREATH_BYTES) await pause(0);
    const found = recordsIn(batch, unpacked);
    for (let index = 1; ; index++) {
      const { done, value } = found.next();
      if (done) {
        if (value && value.from <= batch.lastOffset) lose({ from: Math.max(next, value.from), to: batch.lastOffset, fault: value.fault });
        next = batch.lastOffset + 1;
        return;
      }
      if (index % BREATH_RECORDS === 0) await pause(0);
      if (value.offset < next) continue;
      next = value.offset;
      isFull = records.length > 0 && value.size > left;
      if (isFull) return;
      try {
        records.push(storedRecord(value));
        left -= value.size;
      } catch (fault) {
        lose({ from: value.offset, to: value.offset, fault });
      }
      next = value.offset + 1;
      isFull = records.length === max || left <= 0;
      if (isFull) return;
    }
  }

  return {
    async take(batch: Batch): Promise<void> {
      if (isFull || batch.lastOffset < next) return;
      if (batch.isHidden) next = batch.lastOffset + 1;
      else await takeFrom(batch);
      tell();
    },
    state: () => ({ records, next, left, isFull }),
  };
}
