import { isRecord, joined } from './pointer.js';

/** Tracks which places of a document some rule maps. */
export class Coverage {
  private covered = false;
  private readonly inner = new Map<string, Coverage>();

  add(parts: readonly string[]): void {
    const [first, ...rest] = parts;
    if (first === undefined) {
      this.covered = true;
      return;
    }
    const next = this.inner.get(first) ?? new Coverage();
    next.add(rest);
    this.inner.set(first, next);
  }

  /** The outermost places with a value that no rule maps. */
  unknown(value: unknown, at: readonly string[] = []): string[][] {
    if (this.covered) return [];
    if (this.inner.size === 0 || !(isRecord(value) || Array.isArray(value)))
      return at.length === 0 && isRecord(value) ? keysOf(value) : [[...at]];
    return Object.entries(value).flatMap(([name, item]) => {
      const known = this.inner.get(name);
      return known ? known.unknown(item, [...at, name]) : [[...at, name]];
    });
  }
}

const keysOf = (value: Record<string, unknown>): string[][] => Object.keys(value).map((name) => [name]);

export const pointerOf = (parts: readonly string[]): string => parts.reduce((at, part) => joined(at, part), '');
