import { defineExtraction, type Extracted } from '@countersign/tool-kit/patterns/extraction';
import { z } from 'zod';
import { jsonSpan } from './json-span.js';

const types = ['text', 'decimal', 'date', 'email'] as const;
type ValueType = (typeof types)[number];

const readers: Readonly<Record<ValueType, (text: string) => string | undefined>> = {
  text: (text) => text,
  decimal: (text) => {
    const plain = text.replace(/^(?:[A-Z]{3}|[€$£]) ?|,(?=\d{3}(?!\d))| ?(?:[A-Z]{3}|[€$£])$/g, '');
    return /^-?\d{1,30}(\.\d{1,18})?$/.test(plain) ? plain : undefined;
  },
  date: (text) => {
    const day = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text);
    const iso = day ? `${day[3]}-${day[2]}-${day[1]}` : text;
    return isDay(iso) ? iso : undefined;
  },
  email: (text) => (/^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text) ? text.toLowerCase() : undefined),
};

/** Rejects days such as the 30th of February, which a Date turns into the 2nd of March. */
function isDay(iso: string): boolean {
  const at = new Date(/^\d{4}-\d{2}-\d{2}$/.test(iso) ? `${iso}T00:00:00Z` : Number.NaN);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === iso;
}

const hints = z.strictObject({
  label: z.string().min(1).max(100).describe('In a text: what stands before the value, as in `Invoice no: 17`. In JSON: a JSON Pointer.'),
  type: z.enum(types).default('text'),
});

/** Reads one labelled value from a text, or one value from a JSON document, by rules. */
export const extractProperty = defineExtraction({
  name: 'extract_property',
  version: '1.0.0',
  title: 'Extract a property',
  description: 'Lifts one value out of a text (by its label) or a JSON document (by its pointer), with the span that justifies it.',
  category: 'data',
  capabilities: ['extraction', 'documents'],
  max_output_bytes: 2 * 1024 * 1024,
  sla: { p50_ms: 5, p95_ms: 20, p99_ms: 50, availability: 0.999 },
  hints,
  value: z.string(),
  lineage: { method: 'rules', model: null },
  extract: async (source, { label, type }) => {
    const found = source.media_type === 'application/json' ? inJson(source.content, label) : inText(source.content, label);
    if ('exception' in found) return found;
    const value = readers[type](found.value);
    return value === undefined
      ? { exception: 'unreadable', message: `the value labelled ${JSON.stringify(label)} is not of type ${type}` }
      : { ...found, value };
  },
});

function inText(content: string, label: string): Extracted<string> {
  const wanted = label.toLowerCase();
  const found: { value: string; start: number; end: number; confidence: number }[] = [];
  for (const line of content.matchAll(/[^\n]+/g)) {
    const at = line[0].toLowerCase().indexOf(wanted);
    const behind = at < 0 ? '' : line[0].slice(at + label.length);
    const mark = /^[ \t]*[:=][ \t]*/.exec(behind)?.[0];
    const value = mark === undefined ? '' : behind.slice(mark.length).trimEnd();
    if (value === '') continue;
    const start = line.index + at + label.length + (mark as string).length;
    found.push({ value, start, end: start + value.length, confidence: line[0].slice(0, at).trim() === '' ? 0.95 : 0.7 });
  }
  const [first] = found;
  if (!first) return { exception: 'not_found', message: `no value is labelled ${JSON.stringify(label)}` };
  if (found.some(({ value }) => value !== first.value)) {
    return { exception: 'ambiguous', message: `${found.length} different values are labelled ${JSON.stringify(label)}` };
  }
  return first;
}

function inJson(content: string, pointer: string): Extracted<string> {
  let root: unknown;
  try {
    root = JSON.parse(content);
  } catch {
    return { exception: 'unreadable', message: 'the source is not JSON' };
  }
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const span = pointer === '' || pointer.startsWith('/') ? jsonSpan(content, path) : undefined;
  if (!span || root === undefined) return { exception: 'not_found', message: `no value exists at ${JSON.stringify(pointer)}` };
  const text = content.slice(span.start, span.end);
  const value = JSON.parse(text) as unknown;
  if (value === null || typeof value === 'object') return { exception: 'unreadable', message: `${pointer} does not hold a single value` };
  // A number keeps its original digits.
  return { value: typeof value === 'string' ? value : text, ...span, confidence: 1 };
}
