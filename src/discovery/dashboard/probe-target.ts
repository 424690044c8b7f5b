import { isRefusedHost } from "../../registry/address.ts";
import { httpUrl } from "../http-url.ts";

/**
 * The URL to ask an instance at, without the credentials written in it; undefined where nothing may be asked.
 * Who registers holds the registry's credential and may name any host: a name that resolves to a refused address
 * is not seen here, so of an answer only health is ever shown.
 */
export function probeTarget(text: string | undefined): URL | undefined {
  const url = httpUrl(text);
  return url && !isRefusedHost(url.hostname) ? url : undefined;
}
