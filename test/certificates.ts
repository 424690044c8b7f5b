import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const OPENSSL = "openssl";

/** A certificate for `names` (`DNS:…`, `IP:…`) from an authority of its own, as files in `directory`. */
export function makeCertificates(directory: string, names: string): { authority: string; certificate: string; key: string } {
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync(OPENSSL, args, { stdio: "ignore", cwd: directory });
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...kind, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj", "/CN=Test authority");
  openssl("req", ...kind, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(at("names"), `subjectAltName=${names}\n`);
  openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "names");
  return { authority: at("authority.pem"), certificate: at("server.pem"), key: at("server.key") };
}
