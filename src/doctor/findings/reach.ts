import type { Table } from "../finding.ts";

/** Why a system cannot be asked, the same for every one that is reached by a URL. */
export const reachFindings = {
  reached: { check: "reachable", status: "ok", sentence: "{url} answers" },
  refused: { check: "reachable", status: "error", sentence: "Nothing listens at {url}", remedy: "Start it, or correct {setting}" },
  "unknown-host": { check: "reachable", status: "error", sentence: "The host of {url} has no address", remedy: "Correct the host in {setting}, or the name server of this machine" },
  silent: { check: "reachable", status: "error", sentence: "{url} did not answer in time", remedy: "Look for a firewall between this machine and it, or an overloaded server; else correct {setting}" },
  "not-trusted": {
    check: "reachable",
    status: "error",
    sentence: "The certificate of {url} is not trusted here: {reason}",
    remedy: "Give it a certificate that this machine trusts for that name, or name its authority: NODE_EXTRA_CA_CERTS=/path/ca.pem (Node), DENO_CERT=/path/ca.pem (Deno)",
  },
  "no-tls": { check: "reachable", status: "error", sentence: "{url} does not speak TLS as asked", remedy: "Correct the scheme or the port in {setting}" },
  "blocked-port": { check: "reachable", status: "error", sentence: "{url} has a port that HTTP clients refuse to speak to", remedy: "Move it to another port, and correct {setting}: 8080 and above are safe but for 10080, 6000 and 6665 to 6697" },
  redirected: { check: "reachable", status: "error", sentence: "{url} leads elsewhere, and redirects are not followed", remedy: "Set {setting} to where it leads" },
  unusable: { check: "reachable", status: "error", sentence: "{url} gave no usable answer", remedy: "Correct {setting}: something else seems to answer there" },
  "not-ready": { check: "reachable", status: "error", sentence: "{url} answers {status}: it is starting, overloaded, or behind a proxy that does not reach it", remedy: "Wait and run this again; else look at its log" },
} as const satisfies Table;

/** Tokens and leases are judged by this machine's clock. */
export const clockFindings = {
  "clock-fine": { check: "clock", status: "ok", sentence: "Its clock and ours agree within {seconds} s" },
  "clock-off": { check: "clock", status: "warning", sentence: "Its clock is {seconds} s {direction} ours", remedy: "Synchronise both machines with NTP (timedatectl set-ntp true)" },
  "clock-wrong": {
    check: "clock",
    status: "error",
    sentence: "Its clock is {seconds} s {direction} ours: from 30 s on tokens are refused",
    remedy: "Synchronise both machines with NTP (timedatectl set-ntp true)",
  },
} as const satisfies Table;

/** How checks end that do not come to their end. */
export const endFindings = {
  late: { check: "checks", status: "error", sentence: "Its checks took longer than {seconds} s", remedy: "Look at its load and at the way to it, and run this again" },
  stalled: { check: "checks", status: "error", sentence: "It answered, and then did not any more", remedy: "Look at its load and at the way to it, and run this again" },
  failed: { check: "checks", status: "error", sentence: "Its checks broke off: {reason}", remedy: "Run this again; what stays so is a defect of this command" },
} as const satisfies Table;
