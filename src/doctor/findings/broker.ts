import type { Table } from "../finding.ts";
import { clockFindings, reachFindings } from "./reach.ts";

/** Of Kafka, by its REST interface or by our bridge. */
export const brokerFindings = {
  embedded: { check: "reachable", status: "ok", sentence: "Embedded: for one process, with what the first start made" },
  ...reachFindings,
  ...clockFindings,
  "node-away": { check: "reachable", status: "warning", sentence: "{node} cannot be reached, and others of KAFKA_BROKERS can", remedy: "Start it, or take it out of KAFKA_BROKERS" },
  "node-odd": { check: "reachable", status: "error", sentence: "{node} ends the connection: it is another listener than KAFKA_TLS and KAFKA_SASL_MECHANISM say", remedy: "Set both as the listener has them (listener.security.protocol.map at the broker), or correct the port in KAFKA_BROKERS" },
  nodes: { check: "reachable", status: "ok", sentence: "Every one of KAFKA_BROKERS can be reached ({count})" },
  credential: { check: "credential", status: "ok", sentence: "Accepts {setting}" },
  "credential-open": { check: "credential", status: "ok", sentence: "Asks for no credential" },
  "credential-none": { check: "credential", status: "error", sentence: "It wants a credential, and BROKER_AUTHORIZATION is not set", remedy: 'Set BROKER_AUTHORIZATION="Basic $(printf %s user:password | base64)"' },
  "credential-refused": { check: "credential", status: "error", sentence: "Does not accept {setting} ({status})", remedy: "Set {setting} to what it wants: the whole header, such as Basic and user:password in base64; for Kafka itself KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM" },
  cluster: { check: "cluster", status: "ok", sentence: "Leads to the cluster {cluster} with {brokers} brokers" },
  "cluster-unsized": { check: "cluster", status: "ok", sentence: "Leads to the cluster {cluster}" },
  "not-rest": { check: "cluster", status: "error", sentence: "{url} answers {status} where Confluent's REST v3 has its clusters", remedy: "Set BROKER_URL to what stands before /v3 (Confluent Server: …:8090/kafka); for a Kafka without it, set KAFKA_BROKERS instead" },
  topic: { check: "topics", status: "ok", sentence: "{topic} has {partitions} partitions, {replicas} replicas each" },
  "topic-missing": { check: "topics", status: "warning", sentence: "There is no topic {topic}: it is made with the first event, if the credential may", remedy: "kafka-topics.sh --create --topic {topic} --partitions {partitions}, with --replication-factor 3 where there are three brokers, or run `npm run provision`" },
  "topic-hidden": { check: "topics", status: "error", sentence: "The credential may not describe {topic}", remedy: "kafka-acls.sh --add --allow-principal User:… --operation Describe --operation Read --operation Write --topic {topic}" },
  "topic-odd": { check: "topics", status: "error", sentence: "{topic} cannot be described ({status})", remedy: "Look at the log of the REST interface" },
  "topic-narrow": { check: "topics", status: "warning", sentence: "{topic} has {partitions} partitions; it is made with {wanted}", remedy: "kafka-topics.sh --alter --topic {topic} --partitions {wanted}, while nobody publishes: the order for each user holds only from then on" },
  "topic-single": { check: "replication", status: "warning", sentence: "{topic} has one replica on {brokers} brokers: events are lost with that broker", remedy: "kafka-reassign-partitions.sh with three replicas for {topic}, and min.insync.replicas=2" },
  replication: { check: "replication", status: "ok", sentence: "Topics are replicated as the cluster allows" },
  rights: { check: "rights", status: "ok", sentence: "{topic}: may be written and read" },
  "rights-missing": { check: "rights", status: "error", sentence: "{topic}: the credential lacks {missing}", remedy: "kafka-acls.sh --add --allow-principal User:… --operation Read --operation Write --operation Describe --topic {topic}" },
  "rights-excess": { check: "excess", status: "warning", sentence: "{topic}: the credential may also {excess}: who learns it can take away what was published", remedy: "kafka-acls.sh --add --deny-principal User:… --operation Delete --topic {topic}; a cluster without an authorizer allows everything to everybody" },
  consumers: { check: "consumers", status: "ok", sentence: "No consumer goes on behind the end of its partition ({count} looked at)" },
  "consumers-ahead": {
    check: "consumers",
    status: "warning",
    sentence: "{topic}: {consumers} would go on behind its end (partition {partition} at {next}, and it ends at {end}): where they stand is another broker's, and events are passed over",
    remedy:
      "If that was the embedded broker: stop the platform, `npm run export -- FOLDER --postgres` with the settings from before, then `npm run import -- FOLDER` with these; if records of this one were lost, restore it, or let the consumers begin at its earliest record, as they do after five tries",
  },
  reading: { check: "reading", status: "ok", sentence: "Records can be read over HTTP" },
  "reading-none": {
    check: "reading",
    status: "error",
    sentence: "This REST interface cannot be read: locks reach other services late, the audit log stays empty, webhooks and the stream send nothing",
    remedy: "Set KAFKA_BROKERS instead of BROKER_URL: our bridge serves the reading; or put it in front of Kafka as a process of its own",
  },
  "reading-failed": { check: "reading", status: "error", sentence: "{topic} cannot be read", remedy: "Look at the rights above, and at the log of what stands at {setting}" },
} as const satisfies Table;
