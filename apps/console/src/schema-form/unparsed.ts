/** What somebody has typed where a number or JSON belongs, while it is none. It stands in the value, so that it is kept and seen. */
export class Unparsed {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}

  toJSON(): string {
    return this.text;
  }
}

/** The number that a text says; never one that differs from what is written. */
export function numberFrom(text: string, is_integer: boolean): number | Unparsed {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return new Unparsed(text, 'This is not a number.');
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return new Unparsed(text, 'This number is too large.');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return new Unparsed(text, 'This number is too large to be sent exactly.');
  return is_integer && !Number.isInteger(value) ? new Unparsed(text, 'This must be a whole number.') : value;
}

/** The value that a JSON text says. */
export function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return new Unparsed(text, `This is not JSON: ${cause instanceof Error ? cause.message.slice(0, 160) : 'unknown fault'}.`);
  }
}

/** A value as a text to edit. */
export function jsonText(value: unknown): string {
  if (value instanceof Unparsed) return value.text;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
