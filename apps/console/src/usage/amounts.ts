const count = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const small_dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 });
const short_dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export const countText = (value: number): string => count.format(value);
export const shortCount = (value: number): string => short.format(value);
/** Calls may cost parts of a cent: those show two digits that say something. */
export const dollarText = (value: number): string => (value !== 0 && Math.abs(value) < 0.1 ? small_dollars : dollars).format(value);
export const shortDollars = (value: number): string => (value !== 0 && value < 10 ? dollarText(value) : short_dollars.format(value));
export const rateText = (value: number | null): string => (value === null ? '–' : percent.format(value));

/** `820 µs`, `12.4 ms`, `340 ms`, `1.2 s`, `2.5 min` */
export function timeText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms >= 120_000) return `${digits(ms / 60_000)} min`;
  if (ms >= 1_000) return `${digits(ms / 1_000)} s`;
  return ms >= 1 || ms === 0 ? `${digits(ms)} ms` : `${digits(ms * 1_000)} µs`;
}

const digits = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value >= 100 ? 0 : 1 });

/** How a number compares with an earlier one: `+12 %`, `as before`; undefined where that says nothing. */
export function changeText(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.005) return 'as before';
  if (change > 10) return `${short.format(now / before)} times as much`;
  return `${change > 0 ? '+' : '−'}${Math.round(Math.abs(change) * 100)} %`;
}
