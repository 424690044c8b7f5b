import { otherClient } from "./bridge.ts";

/** Makes Kafka make `__consumer_offsets`, which it does when somebody asks for a group for the first time. */
export async function provideOffsetsTopic(): Promise<void> {
  const admin = otherClient().admin({ retry: { retries: 10 } });
  await admin.connect();
  try {
    await admin.describeGroups(["anybody"]);
  } finally {
    await admin.disconnect();
  }
}
