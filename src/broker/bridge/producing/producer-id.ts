import type { KafkaClient } from "../client.ts";
import { isRetriable, refusalOf } from "../judgement.ts";
import { Unanswered } from "../network.ts";
import { producerIdRequest } from "../protocol/producing.ts";

/** The id that a producer numbers its batches under. */
export function producerId(client: KafkaClient) {
  let known: bigint | undefined;
  let asking: Promise<bigint> | undefined;

  async function ask(until: number): Promise<bigint> {
    const { code, id } = await client.look(producerIdRequest(), { lane: "asking", until });
    // A Kafka that has just started has no ids to give for a moment.
    if (isRetriable(code)) throw new Unanswered("Kafka gives no producer id yet", { mayBeDone: false, cause: refusalOf({ code, message: null }) });
    if (code !== 0) throw refusalOf({ code, message: null });
    return (known = id);
  }

  return {
    get(until: number): Promise<bigint> {
      if (known !== undefined) return Promise.resolve(known);
      asking ??= ask(until).finally(() => {
        asking = undefined;
      });
      return asking;
    },

    /** Has Kafka asked for another next time; where `id` is given, only if it is still that one. */
    discard(id = known): void {
      if (id === known) known = undefined;
    },
  };
}
