const ANY = '*';

/** True if a text matches a glob, in which `*` matches any characters. Linear in both. */
export function fitsGlob(glob: string, text: string): boolean {
  if (!glob.includes(ANY)) return glob === text;
  const [head, ...rest] = glob.split(ANY) as [string, ...string[]];
  const tail = rest.pop() as string;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** True if a text matches one of the globs. */
export const fitsOne = (globs: readonly string[], text: string): boolean => globs.some((glob) => fitsGlob(glob, text));
