const LENGTH_MAX = 1_000;
const HERE = 'http://here.invalid';

/** A path of this gateway; undefined if the text is another address, as `//evil.example` or `/\evil.example` are. */
export function localPath(text: string): string | undefined {
  if (text.length > LENGTH_MAX || !text.startsWith('/') || !URL.canParse(text, HERE)) return undefined;
  const url = new URL(text, HERE);
  return url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : undefined;
}
