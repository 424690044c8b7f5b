import type { Table } from "../finding.ts";

/** Of the environment, the settings file and what the first start made. */
export const settingsFindings = {
  read: { check: "values", status: "ok", sentence: "Of the settings that are given ({count}), every one is valid" },
  missing: { check: "values", status: "error", sentence: "{name} is needed", remedy: "Set {name} to {what}, in the environment or in {file}, or run `npm run provision`" },
  invalid: { check: "values", status: "error", sentence: "{name} is not valid", remedy: "{name}, in {source}: {message}" },
  "file-unreadable": { check: "values", status: "error", sentence: "The settings file {file} cannot be read", remedy: "Correct SETTINGS_FILE or the rights on the file; lines are NAME=value" },
  incomplete: { check: "values", status: "error", sentence: "{name} is given without {other}", remedy: "Set {other} too, or unset {name}" },
  conflict: { check: "values", status: "error", sentence: "{name} and {other} are both given, and the platform does not start so", remedy: "Unset {name} or {other}" },
  "same-port": { check: "values", status: "error", sentence: "{name} and {other} are both {port}", remedy: "Set {name} to another port" },
  pointless: { check: "values", status: "warning", sentence: "{name} has no effect: {why}", remedy: "Unset {name}, or {instead}" },
  typo: { check: "names", status: "warning", sentence: "{name} is no setting, but {known} is", remedy: "If {known} was meant, call it that in {source}" },
  unknown: { check: "names", status: "warning", sentence: "{name} in {file} is no setting", remedy: "Remove it from {file}: nothing reads it" },
  administrators: { check: "names", status: "warning", sentence: "{name} is given: with it, whoever reads the platform's settings is the administrator there", remedy: "Unset {name}: only `npm run provision` asks for it" },
  unshown: { check: "names", status: "warning", sentence: "{name} in {file} is the first administrator's password, which nobody has been shown yet: provisioning was interrupted", remedy: "Run `npm run provision`, which shows it once and takes it out of {file}; removed by hand, it is lost" },
  names: { check: "names", status: "ok", sentence: "No name looks like a slip" },

  short: { check: "secrets", status: "warning", sentence: "{name} has {length} characters", remedy: "Use at least 16 random ones: openssl rand -base64 24 (and change it at its system too)" },
  guessable: { check: "secrets", status: "error", sentence: "{name} is what everybody tries first", remedy: "Use at least 16 random characters: openssl rand -base64 24 (and change it at its system too)" },
  shared: { check: "secrets", status: "warning", sentence: "{names} have the same value: who learns one has all", remedy: "Give each a value of its own: openssl rand -base64 24" },
  secrets: { check: "secrets", status: "ok", sentence: "No secret that is given is short, shared or known to everybody" },
  "open-file": { check: "files", status: "error", sentence: "{path} can be read by others ({mode})", remedy: "chmod 600 {path}" },
  "open-directory": { check: "files", status: "warning", sentence: "{path} can be entered by others ({mode})", remedy: "chmod 700 {path}" },
  "broken-file": { check: "files", status: "error", sentence: "{path} cannot be read, or is not whole", remedy: "Restore it from a backup: what is sealed with its keys is lost without it" },
  "first-start": { check: "files", status: "ok", sentence: "{path} is not there yet: the first start makes it" },
  files: { check: "files", status: "ok", sentence: "Only their owner can read the files with secrets" },

  "for-this-machine": { check: "openness", status: "ok", sentence: "Only this machine can reach the platform: dashboard, metrics and configuration are open on it" },
  "for-others": { check: "openness", status: "ok", sentence: "Others can reach the platform: nothing is open without a credential" },
  "no-public-url": { check: "openness", status: "warning", sentence: "HOST is {host}, and PUBLIC_URL is not set", remedy: "Set PUBLIC_URL to the gateway's address as people reach it, such as https://id.example.com" },
  "public-url-local": { check: "openness", status: "warning", sentence: "HOST is {host}, but PUBLIC_URL names this machine", remedy: "Set PUBLIC_URL to the gateway's address as people reach it" },
  "public-url-plain": { check: "openness", status: "warning", sentence: "PUBLIC_URL is http: passwords come in clear", remedy: "Put TLS before the gateway, and set PUBLIC_URL to its https address" },
  "no-metrics-token": { check: "openness", status: "warning", sentence: "METRICS_TOKEN is not set: /actuator/prometheus is not offered", remedy: "METRICS_TOKEN=$(openssl rand -hex 24)" },
  "embedded-exposed": {
    check: "openness",
    status: "warning",
    sentence: "Others can reach the platform, and {systems} are embedded: they are for one process and for trying",
    remedy: "Set {settings}; README, Real systems, says what belongs to each",
  },
  plain: { check: "transport", status: "warning", sentence: "{name} leads to {host} without TLS: secrets go there in clear", remedy: "Use {scheme} in {name}" },
  "plain-kafka": { check: "transport", status: "warning", sentence: "KAFKA_BROKERS leads to {host} without TLS", remedy: "KAFKA_TLS=on, and KAFKA_CA_FILE for an authority of your own" },
  transport: { check: "transport", status: "ok", sentence: "What leaves this machine is encrypted, as far as settings say" },
} as const satisfies Table;
