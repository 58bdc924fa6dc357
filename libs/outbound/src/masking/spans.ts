/** A range of a text, end exclusive. */
export type Span = [from: number, to: number];

/** The same ranges in order, with touching or overlapping ones merged. */
export function merged(spans: Span[]): Span[] {
  spans.sort((a, b) => a[0] - b[0]);
  const out: Span[] = [];
  for (const [from, to] of spans) {
    const last = out.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** All occurrences of the needles. */
export function found(text: string, needles: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const needle of needles)
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) spans.push([at, at + needle.length]);
  return spans;
}

/** The text with a mask in place of each range; the ranges are merged first. */
export function replaced(text: string, spans: readonly Span[], mask: string): string {
  let out = '';
  let at = 0;
  for (const [from, to] of spans) {
    out += text.slice(at, from) + mask;
    at = to;
  }
  return out + text.slice(at);
}
