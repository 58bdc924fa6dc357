import { MappingFault, type NumberForm } from './definition.js';

/** An exact decimal: units × 10^-scale. */
interface Decimal {
  units: bigint;
  scale: number;
}

const PLAIN = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?$/;
const WITH_EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/;

function plain(text: string): string {
  const match = WITH_EXPONENT.exec(text);
  if (!match) return text;
  const [, sign, first, rest = '', exponent] = match as unknown as [string, string, string, string | undefined, string];
  const shift = Number(exponent);
  const digits = first + rest;
  if (Math.abs(shift) > 60) return text;
  const point = 1 + shift;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return digits.length <= point
    ? sign + digits + '0'.repeat(point - digits.length)
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function parsed(text: string): Decimal {
  const match = PLAIN.exec(text);
  if (!match) throw new MappingFault(`${JSON.stringify(text.slice(0, 60))} is not a number of this form`);
  const [, sign, whole, fraction = ''] = match as unknown as [string, string, string, string | undefined];
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
}

const grouped: Readonly<Record<string, RegExp>> = {
  '.': /^-?\d{1,3}(\.\d{3})*$/,
  ',': /^-?\d{1,3}(,\d{3})*$/,
  ' ': /^-?\d{1,3}( \d{3})*$/,
  "'": /^-?\d{1,3}('\d{3})*$/,
};

function readText(text: string, form: NumberForm): Decimal {
  const point = form.point ?? '.';
  const [whole = '', fraction, ...more] = text.split(point);
  if (more.length > 0) throw new MappingFault(`${JSON.stringify(text.slice(0, 60))} is not a number of this form`);
  const group = form.group;
  if (group !== undefined && whole.includes(group) && !(grouped[group] as RegExp).test(whole))
    throw new MappingFault(`${JSON.stringify(text.slice(0, 60))} is not grouped by thousands`);
  const digits = group === undefined ? whole : whole.replaceAll(group, '');
  return parsed(fraction === undefined ? digits : `${digits}.${fraction}`);
}

function read(value: unknown, form: NumberForm): Decimal {
  if (form.as === 'string') {
    if (typeof value !== 'string') throw new MappingFault('is not a text');
    return readText(value, form);
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new MappingFault('is not a number');
  if (form.as === 'number') return parsed(plain(String(Object.is(value, -0) ? 0 : value)));
  if (!Number.isSafeInteger(value)) throw new MappingFault('is not a whole number');
  return { units: BigInt(value), scale: form.scale ?? 0 };
}

/** The same number with this scale. Never rounds: a digit that does not fit is a fault. */
function rescaled({ units, scale }: Decimal, wanted: number): bigint {
  if (scale <= wanted) return units * 10n ** BigInt(wanted - scale);
  const cut = 10n ** BigInt(scale - wanted);
  if (units % cut !== 0n) throw new MappingFault(`has more than ${wanted} digits after the point`);
  return units / cut;
}

function textOf({ units, scale }: Decimal, point: string, group: string | undefined): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const shown = group === undefined ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group);
  return `${units < 0n ? '-' : ''}${shown}${scale === 0 ? '' : point + digits.slice(-scale)}`;
}

/** Converts a number to another form, exactly. @throws MappingFault if that is not possible. */
export function convertDecimal(value: unknown, from: NumberForm, to: NumberForm): string | number {
  const exact = read(value, from);
  if (to.as === 'string') {
    const scale = to.scale ?? exact.scale;
    return textOf({ units: rescaled(exact, scale), scale }, to.point ?? '.', to.group);
  }
  if (to.as === 'integer') {
    const whole = Number(rescaled(exact, to.scale ?? 0));
    if (!Number.isSafeInteger(whole)) throw new MappingFault('is too large for a whole number');
    return whole;
  }
  const short = to.scale === undefined ? exact : { units: rescaled(exact, to.scale), scale: to.scale };
  const number = Number(textOf(short, '.', undefined));
  const back = parsed(plain(String(Object.is(number, -0) ? 0 : number)));
  const scale = Math.max(back.scale, short.scale);
  if (rescaled(back, scale) !== rescaled(short, scale)) throw new MappingFault('has more digits than a number can hold');
  return number;
}

/** The fault of a number form, if any. */
export function numberFormFault({ scale, point = '.', group }: NumberForm): string | undefined {
  if (scale !== undefined && (!Number.isInteger(scale) || scale < 0 || scale > 20)) return 'a scale is 0 to 20';
  return group === point ? 'thousands and decimals cannot use the same separator' : undefined;
}
