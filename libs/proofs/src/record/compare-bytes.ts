const SURROGATES_FROM = 0xd800;

/** Compares two texts by their UTF-8 bytes. Below the surrogates that is the order of UTF-16 units, so that most texts need no copy. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left >= SURROGATES_FROM || right >= SURROGATES_FROM) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    if (left !== right) return left - right;
  }
  return a.length - b.length;
}
