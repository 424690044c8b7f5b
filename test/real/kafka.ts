import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { digest, madeOnce } from "./cache.ts";
import { run, serve } from "./child.ts";
import { missingJava, portFor, said } from "./machine.ts";
import type { System } from "./system.ts";

const POM = fileURLToPath(new URL("kafka/pom.xml", import.meta.url));
const LOGGING = fileURLToPath(new URL("kafka/log4j2.properties", import.meta.url));
const JAVA = ["-Xms192m", "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", `-Dlog4j2.configurationFile=${LOGGING}`];
const VERSION = /kafka_2.13<\/artifactId>\s*<version>([\d.]+)/.exec(readFileSync(POM, "utf8"))?.[1] ?? "";

/** Apache Kafka, one node that is broker and controller, without authentication. */
export const kafka: System = {
  name: "Kafka",
  missing: missingJava,
  prepare: async ({ cache }) => {
    const jars = jarsIn(cache);
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
    await madeOnce(jars, () => run(["mvn", "-B", "-q", "-f", POM, copy, "-DincludeScope=runtime", `-DoutputDirectory=${jars}`]));
  },
  start: async ({ cache, data }) => {
    const jars = jarsIn(cache);
    const classpath = ["-cp", join(jars, "*")];
    const settings = join(data, "server.properties");
    const [port, controller] = [await portFor("KAFKA_PORT", data), await portFor("KAFKA_CONTROLLER_PORT", data)];
    writeFileSync(settings, properties({ port, controller, log: join(data, "log") }));
    if (!existsSync(join(data, "log"))) {
      // None that begins with a dash, which would be an option.
      const id = `A${randomBytes(16).toString("base64url").slice(1)}`;
      await run(["java", ...JAVA, ...classpath, "kafka.tools.StorageTool", "format", "--standalone", "-t", id, "-c", settings]);
    }
    const log = join(data, `kafka-${Date.now()}.log`);
    const classes = archive(jars);
    const server = await serve(["java", ...classes.options, ...JAVA, ...classpath, "kafka.Kafka", settings], {
      log,
      isReady: () => readFileSync(log, "utf8").includes("Kafka Server started"),
    });
    const stop: typeof server.stop = async (signal) => {
      await server.stop(signal);
      classes.keep();
    };
    return { ...server, stop, version: VERSION, environment: { KAFKA_BROKERS: `127.0.0.1:${port}` } };
  },
};

const jarsIn = (cache: string) => join(cache, `kafka-${VERSION}-${digest(readFileSync(POM, "utf8"))}`);

/** The first orderly end leaves an archive of classes, with which later starts take a second instead of four. */
function archive(jars: string): { options: string[]; keep: () => void } {
  const kept = join(jars, `classes-${digest(said("java", "-version"), ...JAVA)}.jsa`);
  if (existsSync(kept)) return { options: [`-XX:SharedArchiveFile=${kept}`], keep: () => {} };
  const made = `${kept}.${process.pid}`;
  const keep = () => {
    if (existsSync(made)) renameSync(made, kept);
  };
  return { options: [`-XX:ArchiveClassesAtExit=${made}`], keep };
}

function properties({ port, controller, log }: { port: number; controller: number; log: string }): string {
  const one = ["offsets.topic", "transaction.state.log", "share.coordinator.state.topic"].flatMap((topic) => [`${topic}.replication.factor=1`, `${topic}.num.partitions=1`]);
  return [
    "process.roles=broker,controller",
    "node.id=1",
    `controller.quorum.bootstrap.servers=127.0.0.1:${controller}`,
    `listeners=CLIENT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    "listener.security.protocol.map=CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name=CLIENT",
    "controller.listener.names=CONTROLLER",
    `log.dirs=${log}`,
    ...one,
    "transaction.state.log.min.isr=1",
    "share.coordinator.state.topic.min.isr=1",
    "group.initial.rebalance.delay.ms=0",
    "auto.create.topics.enable=false",
    "log.cleaner.dedupe.buffer.size=8388608",
    "",
  ].join("\n");
}
