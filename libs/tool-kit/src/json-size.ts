const DEPTH_MAX = 200;

/** A value without JSON: a cycle, too deep, a BigInt, a function, NaN. */
export class NotJson extends Error {}

/**
 * A lower bound for the bytes of a value's JSON, without creating it; stops counting beyond `bytes_max`. A string counts as its length,
 * although its JSON may be six times longer. @throws NotJson
 */
export function jsonBytesAtLeast(value: unknown, bytes_max: number): number {
  return new Count(bytes_max).of(value, 0);
}

class Count {
  private counted = 0;
  constructor(private readonly bytes_max: number) {}

  of(value: unknown, depth: number): number {
    switch (typeof value) {
      case 'string':
        this.counted += value.length + 2;
        break;
      case 'object':
        if (value === null) this.counted += 4;
        else this.ofObject(value, depth);
        break;
      case 'number':
        if (!Number.isFinite(value)) throw new NotJson(`${value} cannot be written as JSON`);
        this.counted += 1;
        break;
      case 'bigint':
        throw new NotJson('a BigInt cannot be written as JSON');
      case 'function':
      case 'symbol':
        throw new NotJson(`a ${typeof value} cannot be written as JSON`);
      default:
        this.counted += 1;
    }
    return this.counted;
  }

  private ofObject(value: object, depth: number): void {
    if (depth > DEPTH_MAX) throw new NotJson(`it is nested deeper than ${DEPTH_MAX} levels or has a cycle`);
    if (Array.isArray(value)) {
      this.counted += 2 + Math.max(0, value.length - 1);
      // A hole is written as null, so the length alone may exceed the limit.
      for (let at = 0; at < value.length && this.counted <= this.bytes_max; at++) this.of(value[at], depth + 1);
      return;
    }
    if (value instanceof Date) {
      this.counted += 26;
      return;
    }
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function' || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      throw new NotJson('bytes and objects with toJSON cannot be an output: return plain values, or attach them');
    // Every member but the first follows a comma.
    this.counted += 1;
    let between = 0;
    for (const key in value) {
      if (this.counted > this.bytes_max) return;
      const member = (value as Record<string, unknown>)[key];
      if (member === undefined) continue;
      this.counted += between + key.length + 3;
      between = 1;
      this.of(member, depth + 1);
    }
    this.counted += 1;
  }
}
