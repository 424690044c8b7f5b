/** Where our REST v3, embedded or in front of a real Kafka, differs from Confluent's on purpose. */
export const DIFFERENCES: readonly string[] = [
  "`…/partitions/{p}/records` is ours: Confluent's has no reading",
  "A record for a topic or partition that is not there is refused at once, and not after a minute",
  "Fields that the interface does not have are refused",
  "Kafka's own topics are there from the first start where it is embedded, and cannot be deleted; a Kafka makes each when it first needs it, with as many partitions as it is set up for",
  "The end of a partition is where what is committed ends: a transaction under way cannot be read, and counts for nothing",
];
