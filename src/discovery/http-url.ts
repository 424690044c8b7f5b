/** `text` as an http or https URL without credentials; undefined where it is none, and no page may link to it. */
export function httpUrl(text: string | undefined): URL | undefined {
  // A URL parser makes an address of `http:name` and `http:///name` too, and others make another one of it.
  if (text === undefined || !/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  return url;
}
