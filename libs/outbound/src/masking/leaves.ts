import { merged, replaced, type Span } from './spans.js';

/** The texts of a record, concatenated, so that secrets across their borders are found too. */
export class Leaves {
  private readonly ends: number[] = [];
  private readonly parts: string[] = [];
  private length = 0;

  add(text: string): void {
    this.parts.push(text);
    this.length += text.length;
    this.ends.push(this.length);
  }

  get text(): string {
    return this.parts.join('');
  }

  /** Each text that these spans touch, masked, by its number. */
  masked(spans: Span[], mask: string): Map<number, string> {
    const out = new Map<number, string>();
    let leaf = 0;
    const own = new Map<number, Span[]>();
    for (const [from, to] of merged(spans)) {
      while ((this.ends[leaf] as number) <= from) leaf++;
      for (let at = leaf; at < this.parts.length; at++) {
        const end = this.ends[at] as number;
        const begin = end - (this.parts[at] as string).length;
        if (begin >= to) break;
        const span: Span = [Math.max(from, begin) - begin, Math.min(to, end) - begin];
        if (span[1] > span[0]) own.set(at, [...(own.get(at) ?? []), span]);
      }
    }
    for (const [at, ofLeaf] of own) out.set(at, replaced(this.parts[at] as string, ofLeaf, mask));
    return out;
  }
}
