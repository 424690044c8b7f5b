import { basicAuthorization } from "./basic.ts";

/** A base URL without its credential and its last slash, and the credential as an `Authorization` header. */
export type CredentialUrl = { url: string; authorization: string | undefined };

/** Takes `http://user:password@host/path` apart; user and password are percent-decoded, as Spring's clients do. */
export function credentialUrl(text: string): CredentialUrl {
  const { origin, pathname, username, password } = new URL(text);
  const url = `${origin}${pathname.replace(/\/+$/, "")}`;
  if (username === "" && password === "") return { url, authorization: undefined };
  return { url, authorization: basicAuthorization({ username: decodeURIComponent(username), password: decodeURIComponent(password) }) };
}

/** Whether the user and the password of this URL can be decoded. */
export function isCredentialUrl(text: string): boolean {
  try {
    return credentialUrl(text).url !== "";
  } catch {
    return false;
  }
}
