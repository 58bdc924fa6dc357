import { type DateForm, MappingFault } from './definition.js';

const TOKENS = /YYYY|MM|DD|HH|mm|ss|SSS/g;
const WIDTH: Readonly<Record<string, number>> = { YYYY: 4, MM: 2, DD: 2, HH: 2, mm: 2, ss: 2, SSS: 3 };
const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?\d*(Z|[+-]\d{2}:\d{2})$/;
const OFFSET = /^([+-])(0\d|1[0-4]):([0-5]\d)$/;
const named = new Set(['iso', 'iso_date', 'unix_s', 'unix_ms']);

type Fields = Record<'YYYY' | 'MM' | 'DD' | 'HH' | 'mm' | 'ss' | 'SSS', number>;

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z' || offset === 'UTC') return 0;
  const [, sign, hours, minutes] = OFFSET.exec(offset) as unknown as [string, string, string, string];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function moment(fields: Fields, offset: string | undefined): number {
  const { YYYY, MM, DD, HH, mm, ss, SSS } = fields;
  const at = new Date(Date.UTC(2000, MM - 1, DD, HH, mm, ss, SSS));
  at.setUTCFullYear(YYYY, MM - 1, DD);
  const real =
    at.getUTCMonth() === MM - 1 &&
    at.getUTCDate() === DD &&
    at.getUTCHours() === HH &&
    at.getUTCMinutes() === mm &&
    at.getUTCSeconds() === ss;
  if (!real) throw new MappingFault('is not an existing date');
  return at.getTime() - offsetMs(offset);
}

function byPattern(text: string, pattern: string, offset: string | undefined): number {
  const fields: Fields = { YYYY: 1970, MM: 1, DD: 1, HH: 0, mm: 0, ss: 0, SSS: 0 };
  let at = 0;
  let last = 0;
  const literal = (until: number) => {
    const wanted = pattern.slice(last, until);
    if (text.slice(at, at + wanted.length) !== wanted) throw new MappingFault(`is not of the form ${pattern}`);
    at += wanted.length;
  };
  for (const token of pattern.matchAll(TOKENS)) {
    literal(token.index);
    const digits = text.slice(at, at + (WIDTH[token[0]] as number));
    if (!/^\d+$/.test(digits) || digits.length !== WIDTH[token[0]]) throw new MappingFault(`is not of the form ${pattern}`);
    fields[token[0] as keyof Fields] = Number(digits);
    at += digits.length;
    last = token.index + token[0].length;
  }
  literal(pattern.length);
  if (at !== text.length) throw new MappingFault(`is not of the form ${pattern}`);
  return moment(fields, offset);
}

function read(value: unknown, { form, offset }: DateForm): number {
  if (form === 'unix_s' || form === 'unix_ms') {
    if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > 8.64e15)
      throw new MappingFault('is not a number of seconds');
    return form === 'unix_s' ? value * 1000 : value;
  }
  if (typeof value !== 'string' || value.length > 100) throw new MappingFault('is not a text');
  if (form === 'iso_date') return byPattern(value, 'YYYY-MM-DD', undefined);
  if (form !== 'iso') return byPattern(value, form, offset);
  const match = ISO.exec(value);
  if (!match) throw new MappingFault('is not a date and time of RFC 3339');
  const [, YYYY, MM, DD, HH, mm, ss, SSS = '0', zone] = match as unknown as [string, ...string[]];
  const numbers = {
    YYYY: Number(YYYY),
    MM: Number(MM),
    DD: Number(DD),
    HH: Number(HH),
    mm: Number(mm),
    ss: Number(ss),
    SSS: Number(SSS.padEnd(3, '0')),
  };
  if (zone !== 'Z' && !OFFSET.test(zone as string)) throw new MappingFault('does not have a valid offset');
  return moment(numbers, zone);
}

/** Converts a time to another format. @throws MappingFault if it is invalid or does not fit the format. */
export function convertDate(value: unknown, from: DateForm, to: DateForm): string | number {
  const at_ms = read(value, from);
  if (to.form === 'unix_ms') return at_ms;
  if (to.form === 'unix_s') return at_ms / 1000;
  const at = new Date(at_ms + (to.form === 'iso' || to.form === 'iso_date' ? 0 : offsetMs(to.offset)));
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 0 || at.getUTCFullYear() > 9999) throw new MappingFault('is out of range');
  if (to.form === 'iso') return at.toISOString();
  const parts = {
    YYYY: at.getUTCFullYear(),
    MM: at.getUTCMonth() + 1,
    DD: at.getUTCDate(),
    HH: at.getUTCHours(),
    mm: at.getUTCMinutes(),
    ss: at.getUTCSeconds(),
    SSS: at.getUTCMilliseconds(),
  };
  const pattern = to.form === 'iso_date' ? 'YYYY-MM-DD' : to.form;
  return pattern.replace(TOKENS, (token) => String(parts[token as keyof Fields]).padStart(WIDTH[token] as number, '0'));
}

/** The fault of a date form, if any. */
export function dateFormFault({ form, offset }: DateForm): string | undefined {
  if (offset !== undefined && offset !== 'UTC' && !OFFSET.test(offset)) return 'an offset is UTC, +02:00 or the like';
  if (named.has(form)) return undefined;
  const tokens: string[] = form.match(TOKENS) ?? [];
  if (form.length > 60 || !tokens.includes('YYYY')) return 'a date form is iso, iso_date, unix_s, unix_ms or a pattern with YYYY';
  return new Set<string>(tokens).size === tokens.length ? undefined : 'a date form has each of its parts once';
}

/** True if the form keeps a time to the second. */
export function keepsSeconds({ form }: DateForm): boolean {
  return form === 'iso' || form.startsWith('unix') || ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'].every((token) => form.includes(token));
}
