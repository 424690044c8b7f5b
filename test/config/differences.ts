import { nameOf, type Outcome, type Recorded } from "./replay.ts";

/** Where ours answers otherwise than Spring's own server, on purpose. That errors are problems goes without a row. */
type Difference = {
  backend?: "native" | "git";
  /** The calls it is about, by their names. */
  of: RegExp;
  reason: string;
  ours: (original: Outcome, path: string) => Outcome;
};

const refused = (code: string, ...fields: string[]) => (): Outcome => ({ status: Number(code.slice(-3)), code, ...(fields.length > 0 && { fields }) });
const written = (change: (text: string) => string) => (original: Outcome): Outcome => ({ ...original, body: change(original.body ?? "") });

const MOJIBAKE = "\u00C3\u00BC\u00C3\u009F";
const readUtf8 = (text: string) => text.replace(`gr${MOJIBAKE}e`, "grüße");
const withJsonFile = (text: string, source: string) => text.replace(/\{"name":"Config resource 'file \[\{CONFIG_REPO\}\/application.yml/, `{"name":"file:{CONFIG_REPO}/bothkinds.json","source":${source}},$&`);

export const DIFFERENCES: Difference[] = [
  {
    of: /^GET \/accept-client\/(dev,,test|,dev|dev,%20test|!dev)$/,
    reason: "The original fails with 500 on what is no profile; what a caller sends wrong is the caller's",
    ours: refused("VALIDATION_FAILED_400", "profiles"),
  },
  {
    of: /^GET \/(accept-client)?\*\/dev$/,
    reason: "The original fails with 500 on a pattern",
    ours: refused("VALIDATION_FAILED_400", "application"),
  },
  {
    of: /^GET \/(a%20b|%24%7Ba\.b%7D|\(_\)etc\(_\)passwd|%2500|http:\(_\)\(_\)localhost)\/(dev|default)$/,
    reason: "Names are letters, digits, dots, dashes and underscores: nothing else gets near a path",
    ours: refused("VALIDATION_FAILED_400", "application"),
  },
  {
    of: /^GET \/accept-client\/dev;x=1$/,
    reason: "A path means one thing: what follows a semicolon is part of the segment, and no name",
    ours: refused("VALIDATION_FAILED_400", "profiles"),
  },
  {
    of: /^GET \/accept-client;a=b\/dev$/,
    reason: "A path means one thing: what follows a semicolon is part of the segment, and no name",
    ours: refused("VALIDATION_FAILED_400", "application"),
  },
  {
    of: /^GET \/accept-client\/dev\/%252e%252e\/application\.yml$/,
    reason: "Labels are made of what branches and tags are made of",
    ours: refused("VALIDATION_FAILED_400", "label"),
  },
  {
    of: /^GET \/accept-client\/dev\/v1\/%2e%2e\/application\.yml$/,
    reason: "Dot segments are refused everywhere alike; the original looks for such a file",
    ours: refused("VALIDATION_FAILED_400", "path"),
  },
  {
    of: /^GET \/(broken|duplicate|halfbroken|legacy)[/-](default|dev)(\.(yml|yaml|properties|json))?( as .*)?$/,
    reason: "A file that cannot be read is named with its line; the original fails with 500, or with 404 on git",
    ours: (original, path) => (original.status < 400 ? original : refused("CONFIG_FILE_INVALID_422", PLACES[/\w+/.exec(path)?.[0] ?? ""] ?? "")()),
  },
  {
    of: /^GET \/goodcipher\/default$/,
    reason: "No encryption is offered: what is encrypted is delivered as the original delivers what it has no key for",
    ours: written((text) => text.replace('"secret":"mysecret"', '"invalid.secret":"<n/a>"')),
  },
  {
    of: /^GET \/goodcipher-default\.(yml|yaml|properties|json)$/,
    reason: "No encryption is offered",
    ours: written((text) =>
      text.replace('"secret":"mysecret"', '"invalid":{"secret":"<n/a>"}').replace("secret: mysecret\n", "invalid:\n  secret: <n/a>\n").replace("secret: mysecret", "invalid.secret: <n/a>"),
    ),
  },
  {
    of: /^(GET|POST) \/(encrypt|decrypt)(\/status)?$/,
    reason: "No encryption is offered: secrets belong into the secrets store",
    ours: refused("NOT_FOUND_404"),
  },
  {
    of: /^POST \/encrypt\/accept-client\/dev$/,
    reason: "No encryption is offered; the path is one that can be read",
    ours: refused("METHOD_NOT_ALLOWED_405"),
  },
  {
    of: /^GET \/(types\/default|my-app,types\/dev\/feature\(_\)x) as .*v2\+json$/,
    reason: "Every value has a value and an origin: clients take anything else for a map",
    ours: written((text) => text.replace('"emptyMap":""', '"emptyMap":{"value":"","origin":"29:11"}')),
  },
  {
    of: /^GET \/badcipher\/default as .*v2\+json$/,
    reason: "Every value has a value and an origin: clients take anything else for a map",
    ours: written((text) => text.replace('"invalid.secret":"<n/a>"', '"invalid.secret":{"value":"<n/a>","origin":"1:9"}')),
  },
  {
    of: /^GET \/bothkinds\/(default|dev)$/,
    reason: "JSON files are read too, below the others; a .properties file that is UTF-8 is read as such, else as ISO-8859-1 (JEP 226)",
    ours: written((text) => withJsonFile(readUtf8(text), '{"from":"json","json":1}')),
  },
  {
    of: /^GET \/bothkinds\/default as .*v2\+json$/,
    reason: "JSON files are read too, below the others; a .properties file that is UTF-8 is read as such, else as ISO-8859-1 (JEP 226)",
    ours: written((text) => withJsonFile(readUtf8(text), '{"from":{"value":"json","origin":"1:9"},"json":{"value":1,"origin":"1:23"}}')),
  },
  {
    of: /^GET \/bothkinds-default\.(yml|yaml|properties|json)$/,
    reason: "JSON files are read too; UTF-8 is read as UTF-8, so that nothing is left which SnakeYAML would write as bytes",
    ours: written((text) =>
      readUtf8(text)
        .replace('"from":"properties",', '"from":"properties","json":1,')
        .replace("from: properties\n", "from: properties\njson: 1\n")
        .replace(/!!binary \|-\n.*/, "€ grüße raw grüße"),
    ),
  },
  {
    of: /^GET \/types-default\.(yml|yaml|json)$/,
    reason: "A name in brackets stays one name, as it was written, where the original breaks it at its dot",
    ours: written((text) =>
      text
        .replace("'[bracketed':\n  key]: b\nmap[c:\n  d]: bracketed-in-map\n", "'[bracketed.key]': b\n")
        .replace("    b: dotted-in-map\n", "    b: dotted-in-map\n  '[c.d]': bracketed-in-map\n")
        .replace(',"[bracketed":{"key]":"b"},"map[c":{"d]":"bracketed-in-map"}', ',"[bracketed.key]":"b"')
        .replace('{"a":{"b":"dotted-in-map"}}', '{"a":{"b":"dotted-in-map"},"[c.d]":"bracketed-in-map"}'),
    ),
  },
  {
    of: /^GET \/types-default\.properties$/,
    reason: "What java.util.Properties reads back is what was stored: escaped where it would be read otherwise, and bytes as base64, not as an address",
    ours: written((text) =>
      text
        .replace("key with space: s", String.raw`key\ with\ space: s`)
        .replace("literal: line one\n  line two\n\nfolded: line one line two\n\n", String.raw`literal: line one\n  line two\n` + "\n" + String.raw`folded: line one line two\n` + "\n")
        .replace(/\[B@\w+/, "aGVsbG8=")
        .replace("C:\\temp", "C:\\\\temp")
        .replace("trailing:   spaces", "trailing: \\  spaces"),
    ),
  },
  {
    of: /^GET \/placeholders-default\.properties\?resolvePlaceholders=false$/,
    reason: "What java.util.Properties reads back is what was stored",
    ours: written((text) => text.replace("escaped: \\${a.b}", "escaped: \\\\${a.b}")),
  },
  {
    of: /^GET \/lists-empty\.(yml|yaml|json)$/,
    reason: "An empty list over a list is the list's end, as clients bind it; the original fails with 500",
    ours: (_, path) => ({ status: 200, ...LISTS_EMPTY[path.endsWith(".json") ? "json" : "yml"] }),
  },
  {
    of: /^GET \/lists-empty\.properties$/,
    reason: "An empty list over a list is the list's end, as clients bind it; the original delivers both",
    ours: written((text) => text.replace("list[0]: a\nlist[1]: b\nlist[2]: c\n", "")),
  },
  {
    backend: "git",
    of: /^GET .*/,
    reason: "A source's name is what it is on a folder: the original leaves out a bracket and the location on git",
    ours: (original) =>
      original.body === undefined ? original : { ...original, body: original.body.replaceAll(/file:\/\/\{CONFIG_GIT\}\/Config resource 'file \[(.*?)' via location ''/g, "Config resource 'file [$1]' via location 'file:{CONFIG_GIT}/'") },
  },
  {
    of: /^GET \/accept-client\/dev\/main\/nginx\.conf$/,
    backend: "git",
    reason: "Text is text/plain, whatever the client would rather have: the original calls it JSON",
    ours: (original) => ({ ...original, type: "text/plain" }),
  },
];

/** Where each broken file of the folder is broken. */
const PLACES: Record<string, string> = {
  broken: "broken.yml:1:4",
  duplicate: "duplicate.yml:2:1",
  halfbroken: "halfbroken-dev.yml:2:1",
  legacy: "legacy.yml:3:18",
};

const LISTS_EMPTY = {
  yml: {
    type: "text/plain",
    body: "shared:\n  only: from-application\n  both: from-application\n  order: application\n  document: application-document-not-dev\na:\n  b: shared-a-b\nspring:\n  config:\n    activate:\n      on-profile: '!dev'\nmap: ''\nlist: ''\nrows:\n- id: 1\n  name: a\n- id: 2\n  name: b\nmatrix:\n- - 1\n  - 2\n- - 3\n",
  },
  json: {
    type: "application/json",
    body: '{"shared":{"only":"from-application","both":"from-application","order":"application","document":"application-document-not-dev"},"a":{"b":"shared-a-b"},"spring":{"config":{"activate":{"on-profile":"!dev"}}},"map":"","list":"","rows":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"matrix":[[1,2],[3]]}',
  },
};

/** Methods that no Fetch API carries: the runtimes refuse them before there is a request. */
export function canBeSent({ request }: Recorded): boolean {
  return request.method !== "TRACE";
}

/** What ours has to answer, after every difference that applies. */
export function expected(exchange: Recorded, original: Outcome): Outcome {
  const applying = DIFFERENCES.filter(({ of, backend }) => of.test(nameOf(exchange)) && (backend === undefined || backend === exchange.backend));
  return applying.reduce((outcome, { ours }) => ours(outcome, exchange.request.path), original);
}
