/** Sends JSON as a client would; the answer is read whole. */
export function client(base: string) {
  return async (path: string, init: { method?: string; json?: unknown; token?: string; headers?: Record<string, string> } = {}) => {
    const { json, token, headers, method = json === undefined ? "GET" : "POST" } = init;
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) as Record<string, any> };
  };
}

/** As `client`, for a URL with a credential in it, such as the platform prints. */
export function credentialClient(url: string) {
  const { username, password, origin, pathname } = new URL(url);
  const request = client(origin + pathname.replace(/\/$/, ""));
  const authorization = `Basic ${btoa(`${username}:${password}`)}`;
  return (path: string, { headers, ...init }: Parameters<typeof request>[1] = {}) => request(path, { ...init, headers: { authorization, ...headers } });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
