import { memberPointer } from '@countersign/contracts';
/** A shortened output: JSON within its limit, and the removed parts (JSON Pointer: what). */
export interface Shortened {
  /** Null: it cannot be shortened to the limit. */
  output_json: string | null;
  cuts: string[];
}

const CUTS_REPORTED_MAX = 20;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Shortens a value to `bytes_max` bytes of JSON: cuts long strings with a mark at the end, and keeps the first items of arrays. */
export function shorten(output: unknown, bytes_max: number): Shortened {
  const shortener = new Shortener();
  const output_json = JSON.stringify(shortener.fit(output, bytes_max, '')) ?? 'null';
  const cuts = shortener.cuts.slice(0, CUTS_REPORTED_MAX);
  if (shortener.cuts.length > CUTS_REPORTED_MAX) cuts.push(`and ${shortener.cuts.length - CUTS_REPORTED_MAX} more places`);
  return { output_json: Buffer.byteLength(output_json) <= bytes_max ? output_json : null, cuts };
}

class Shortener {
  readonly cuts: string[] = [];

  fit(value: unknown, budget: number, path: string): unknown {
    if (typeof value === 'string') return this.text(value, budget, path);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    if (bytesOf(value) <= budget) return value;
    return Array.isArray(value) ? this.items(value, budget, path) : this.members(value as Record<string, unknown>, budget, path);
  }

  private text(value: string, budget: number, path: string): string {
    const bytes = value.length + 2 <= budget ? bytesOf(value) : Number.POSITIVE_INFINITY;
    if (bytes <= budget) return value;
    for (let keep = Math.min(value.length, budget); ; keep = Math.floor(keep / 2)) {
      const mark = `… [${value.length - keep} more characters]`;
      const head = value.slice(0, keep);
      // Does not split a surrogate pair.
      const cut = (/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head) + mark;
      if (keep > 0 && bytesOf(cut) > budget) continue;
      this.cuts.push(`${path || 'the output'}: the first ${keep} of ${value.length} characters`);
      return keep > 0 || bytesOf(cut) <= budget ? cut : '';
    }
  }

  private items(value: readonly unknown[], budget: number, path: string): unknown[] {
    const kept: unknown[] = [];
    let left = budget - 2;
    for (const item of value) {
      const bytes = bytesOf(item ?? null) + 1;
      if (bytes > left) break;
      kept.push(item);
      left -= bytes;
    }
    if (kept.length === 0 && left > 16 && typeof value[0] === 'object') kept.push(this.fit(value[0], left - 1, `${path}/0`));
    this.cuts.push(`${path || 'the output'}: the first ${kept.length} of ${value.length} items`);
    return kept;
  }

  /** Small members stay complete; the larger ones share the rest of the budget. */
  private members(value: Record<string, unknown>, budget: number, path: string): Record<string, unknown> {
    const sized = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => ({ key, member, frame: bytesOf(key) + 2, bytes: bytesOf(member) }));
    const order = [...sized].sort((a, b) => a.bytes - b.bytes);
    let left = budget - 2 - sized.reduce((sum, { frame }) => sum + frame, 0);
    const shared = new Map<string, unknown>();
    for (const [at, { key, member, bytes }] of order.entries()) {
      const share = Math.floor(left / (order.length - at));
      if (share < 4) break;
      const fitted = bytes <= share ? member : this.fit(member, share, memberPointer(path, key));
      shared.set(key, fitted);
      left -= bytes <= share ? bytes : bytesOf(fitted);
    }
    const result: Record<string, unknown> = {};
    let space = budget - 2;
    for (const { key, frame } of sized) {
      const bytes = shared.has(key) ? frame + bytesOf(shared.get(key)) : Number.POSITIVE_INFINITY;
      if (bytes > space) continue;
      space -= bytes;
      Object.defineProperty(result, key, { value: shared.get(key), enumerable: true, configurable: true, writable: true });
    }
    const omitted = sized.length - Object.keys(result).length;
    if (omitted > 0) this.cuts.push(`${path || 'the output'}: ${omitted} of ${sized.length} members omitted`);
    return result;
  }
}
