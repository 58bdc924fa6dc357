import { z } from 'zod';

/** A decimal as text: exact where a JSON number is not. */
export const decimalText = z.string().regex(/^-?(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'a decimal such as -12.50');

/** An exact fraction; the denominator is above 0. */
export interface Fraction {
  over: bigint;
  under: bigint;
}

/** @throws TypeError if the text is no decimal. */
export function fractionOf(text: string): Fraction {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new TypeError(`${JSON.stringify(text)} is not a decimal`);
  const [, sign = '', whole = '', part = ''] = match;
  return { over: BigInt(`${sign}${whole}${part}`), under: 10n ** BigInt(part.length) };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

/** @throws RangeError for division by zero. */
export function dividedBy(a: Fraction, b: Fraction): Fraction {
  if (b.over === 0n) throw new RangeError('division by zero');
  const sign = b.over < 0n ? -1n : 1n;
  return { over: sign * a.over * b.under, under: a.under * b.over * sign };
}

/** Negative, 0 or positive, as sort expects. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Text with at most `digits` decimals, rounded half to even; `exact` if nothing was rounded. No trailing zeros. */
export function textOf({ over, under }: Fraction, digits: number): { text: string; exact: boolean } {
  const scaled = (over < 0n ? -over : over) * 10n ** BigInt(digits);
  let whole = scaled / under;
  const rest = 2n * (scaled % under);
  if (rest > under || (rest === under && whole % 2n === 1n)) whole += 1n;
  const padded = whole.toString().padStart(digits + 1, '0');
  const cut = padded.length - digits;
  const part = padded.slice(cut).replace(/0+$/, '');
  const sign = over < 0n && whole !== 0n ? '-' : '';
  return { text: `${sign}${padded.slice(0, cut)}${part === '' ? '' : `.${part}`}`, exact: rest === 0n };
}
