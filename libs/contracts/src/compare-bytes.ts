const encoder = new TextEncoder();
const SURROGATES_FROM = 0xd800;

/** Compares two texts by their UTF-8 bytes. Below the surrogates that is the order of UTF-16 units, so that most texts need no copy. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left >= SURROGATES_FROM || right >= SURROGATES_FROM) return compareArrays(encoder.encode(a), encoder.encode(b));
    if (left !== right) return left - right;
  }
  return a.length - b.length;
}

function compareArrays(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number);
  return a.length - b.length;
}
