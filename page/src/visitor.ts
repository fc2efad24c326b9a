// Who looks at this page: a name that others see, and the token that a server on a network asks for.

const NAME = "proxops.name";
const TOKEN = "proxops.token";

export function operatorName(): string {
  const known = sessionStorage.getItem(NAME);
  if (known) return known;
  const name = `operator ${String(Math.floor(Math.random() * 900) + 100)}`;
  sessionStorage.setItem(NAME, name);
  return name;
}

export function rename(name: string): void {
  sessionStorage.setItem(NAME, name);
}

/** The token of the address (#token=…), kept for this tab and taken out of sight. */
export function token(): string {
  const given = /[#&]token=([A-Za-z0-9_-]+)/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem(TOKEN, given);
    history.replaceState(null, "", location.pathname + "#/command");
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Use another token from now on. */
export function useToken(given: string): void {
  sessionStorage.setItem(TOKEN, given.trim());
  location.reload();
}

/** Fetch from our own server, with the token where there is one. */
export async function fetchOwn(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  if (token()) headers.set("Authorization", `Bearer ${token()}`);
  headers.set("X-Proxops", "1");
  return fetch(path, { ...options, headers, credentials: "omit", redirect: "error" });
}
