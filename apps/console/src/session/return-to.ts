/** The path of the console that a sign-in leads to. Anything else, such as an address of another site, leads to the home page. */
export function returnTo(text: string | null): string {
  if (text === null || !/^\/(?![/\\])[^\\\s]*$/.test(text) || text.length > 2_000) return '/';
  const path = text.split(/[?#]/)[0] as string;
  return path === '/sign-in' || /^\/(v1|mcp|docs|console)(\/|$)/.test(path) ? '/' : text;
}

/** The token of a one-time link: `#link=…`. */
export function linkToken(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('link');
  return token !== null && /^[\w.~-]{16,2000}$/.test(token) ? token : undefined;
}
