import { Fragments } from './fragments.js';
import { Leaves } from './leaves.js';
import { needlesOf, wholeForms } from './needles.js';
import { found, merged, replaced, type Span } from './spans.js';

/** Replaces a secret. No longer than the shortest secret, so that no text grows beyond its limit. */
export const MASK = '[secret]';

/** What the walk over a record has found: its values and its keys, each concatenated. */
class Walk {
  readonly values = new Leaves();
  readonly keys = new Leaves();
  value = 0;
  key = 0;
  /** Whether bytes in it contain a secret. */
  bytes = false;
}

const isBytes = (value: readonly unknown[]): value is number[] =>
  value.length >= 8 && value.every((one) => typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= 255);

/**
 * Masks some values in whatever a tool returns: as they are, in base64 (also inside a longer one), base64url, percent-encoded,
 * JSON-escaped, hexadecimal, as bytes, or cut into pieces over the fields of one record.
 */
export class Masker {
  private readonly needles: readonly string[];
  private readonly raw: readonly string[];
  private readonly fragments: Fragments;

  constructor(values: readonly string[]) {
    const forms = values.flatMap(wholeForms);
    this.needles = values.flatMap(needlesOf).sort((a, b) => b.length - a.length);
    this.raw = values.flatMap((value) => [Buffer.from(value).toString('latin1'), Buffer.from(value, 'utf16le').toString('latin1')]);
    this.fragments = new Fragments(forms);
  }

  /** Masks a line or message. */
  text(text: string): string {
    const spans = found(text, this.needles);
    return spans.length === 0 ? text : replaced(text, merged(spans), MASK);
  }

  /** Masks the JSON text of a record; returns the same text if there is nothing to mask. */
  json(text: string): string {
    const value: unknown = JSON.parse(text);
    const masked = this.record(value);
    return masked === value ? text : JSON.stringify(masked);
  }

  /** Masks a JSON value as one record; returns the same value if there is nothing to mask. */
  record<T>(value: T): T {
    const walk = new Walk();
    this.collect(value, walk);
    const ofValues = walk.values.masked(this.spans(walk.values.text), MASK);
    const ofKeys = walk.keys.masked(found(walk.keys.text, this.needles), MASK);
    if (ofValues.size === 0 && ofKeys.size === 0 && !walk.bytes) return value;
    return this.rebuilt(value, walk, { ofValues, ofKeys }) as T;
  }

  /** Masks bytes of an attachment: matches are overwritten in place. */
  bytes(data: Uint8Array): Uint8Array {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
    const spans = [...found(text, this.needles), ...found(text, this.raw)];
    if (spans.length === 0) return data;
    const masked = Buffer.from(data);
    for (const [from, to] of merged(spans)) masked.fill('*', from, to);
    return masked;
  }

  private shows(bytes: readonly number[]): boolean {
    const data = Uint8Array.from(bytes);
    return this.bytes(data) !== data;
  }

  private spans(text: string): Span[] {
    return [...found(text, this.needles), ...this.fragments.find(text)];
  }

  private collect(value: unknown, walk: Walk): void {
    if (typeof value === 'string' || typeof value === 'number') walk.values.add(String(value));
    else if (Array.isArray(value)) {
      walk.bytes ||= isBytes(value) && this.shows(value);
      for (const one of value) this.collect(one, walk);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) {
        walk.keys.add(key);
        this.collect(member, walk);
      }
  }

  private rebuilt(value: unknown, walk: Walk, masks: { ofValues: Map<number, string>; ofKeys: Map<number, string> }): unknown {
    if (typeof value === 'string' || typeof value === 'number') {
      return masks.ofValues.get(walk.value++) ?? value;
    }
    if (Array.isArray(value)) {
      const items = value.map((one) => this.rebuilt(one, walk, masks));
      return isBytes(value) && this.shows(value) ? MASK : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([key, member]) => {
      const name = masks.ofKeys.get(walk.key++) ?? key;
      return [name, this.rebuilt(member, walk, masks)] as const;
    });
    return Object.fromEntries(members);
  }
}
