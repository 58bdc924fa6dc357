import { ERASED, SEALED, type SummaryMeasure, valueAt } from '@countersign/contracts';
import { quoted } from './inert-text.js';

/** What a sentence shows for personal data: its text would outlive the erasure of its subject. */
export const PERSONAL = '(personal data)';
const ITEMS_MAX = 3;

/** True if a value is sealed or erased, or the whole inputs are. */
export const isPersonal = (value: unknown): boolean => typeof value === 'string' && (value.startsWith(SEALED) || value === ERASED);

/** An input as a few inert words. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '(none)';
  if (typeof value === 'string') return isPersonal(value) ? PERSONAL : quoted(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return shownList(value);
  return `(${Object.keys(value).length} fields)`;
}

function shownList(items: readonly unknown[]): string {
  if (items.length === 0) return '(none)';
  if (items.some((item) => item !== null && typeof item === 'object')) return `(${items.length} items)`;
  const shown = items.slice(0, ITEMS_MAX).map(shownValue).join(', ');
  return items.length > ITEMS_MAX ? `${shown} and ${items.length - ITEMS_MAX} more` : shown;
}

/** A measure of an input: how much of it there is, without showing it. */
function measured(value: unknown, as: Exclude<SummaryMeasure, 'value'>): string {
  if (isPersonal(value)) return PERSONAL;
  if (as === 'count')
    return Array.isArray(value) ? String(value.length) : value && typeof value === 'object' ? String(Object.keys(value).length) : '0';
  const text = typeof value === 'string' ? value : '';
  if (as === 'bytes') return String(Buffer.byteLength(text, 'utf8'));
  return String(as === 'characters' ? text.length : text === '' ? 0 : text.split('\n').length);
}

/** One placeholder of a summary, filled. Personal inputs are one sealed text: then no member of them is known. */
export function filled(inputs: unknown, pointer: string, as: SummaryMeasure): string {
  if (isPersonal(inputs)) return PERSONAL;
  const value = valueAt(inputs, pointer);
  return as === 'value' ? shownValue(value) : measured(value, as);
}
