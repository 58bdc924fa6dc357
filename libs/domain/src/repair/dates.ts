const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const FULL = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];
const TEXT_MAX = 40;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)? ?(z|utc|gmt|[+-]\d{2}:?\d{2})?$/;

interface Day {
  year: number;
  month: number;
  day: number;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
function isDay({ year, month, day }: Day): boolean {
  const is_leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && is_leap ? 29 : (DAYS[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= days;
}

function monthOf(word: string): number {
  const full = FULL.indexOf(word);
  return 1 + (full >= 0 ? full : MONTHS.indexOf(word === 'sept' ? 'sep' : word));
}

/** Every reading of a date. `3/4/2026` has two. */
function readingsOf(text: string): Day[] {
  const iso = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})$/.exec(text);
  if (iso) return [{ year: Number(iso[1]), month: Number(iso[3]), day: Number(iso[4]) }];
  const last = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(text);
  if (last) {
    const [one, two, year] = [Number(last[1]), Number(last[3]), Number(last[4])];
    const day_first = { year, month: two, day: one };
    return last[2] === '.' ? [day_first] : [day_first, { year, month: one, day: two }];
  }
  const named = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/.exec(text);
  if (named) return [{ year: Number(named[3]), month: monthOf(named[2] as string), day: Number(named[1]) }];
  const us = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text);
  return us ? [{ year: Number(us[3]), month: monthOf(us[1] as string), day: Number(us[2]) }] : [];
}

const two = (value: number): string => String(value).padStart(2, '0');
const spelled = ({ year, month, day }: Day): string => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;

/** The one day that a text can mean. */
function dayOf(text: string): string | undefined {
  const days = new Set(readingsOf(text).filter(isDay).map(spelled));
  return days.size === 1 ? [...days][0] : undefined;
}

/** A time of day; without a zone it is UTC. */
function timeOf(text: string): string | undefined {
  const found = TIME.exec(text);
  if (!found) return undefined;
  const [, hours = '', minutes = '', seconds = '00', fraction = '', zone = 'z'] = found;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  return `${hours.padStart(2, '0')}:${minutes}:${seconds}${fraction}${offset}`;
}

/** The date and the time of a text: the time begins after a T, or after the last blank before a colon. */
function halves(text: string): { date: string; time: string } {
  const found = /^(.*?\d)(?:t| +|, ?)(\d{1,2}:\d{2}.*)$/.exec(text);
  return found ? { date: found[1] as string, time: found[2] as string } : { date: text, time: '' };
}

/** A spelled date as RFC 3339; undefined if it has no or several readings. A date without a time is midnight UTC. */
export function respelledDate(text: string, format: 'date' | 'date-time'): string | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const { date, time } = halves(text.trim().toLowerCase());
  const day = dayOf(date);
  if (day === undefined) return undefined;
  if (format === 'date') return time === '' ? day : undefined;
  const of_day = time === '' ? '00:00:00Z' : timeOf(time);
  return of_day === undefined ? undefined : `${day}T${of_day}`;
}
