import { createHash } from 'node:crypto';
import { ToolError } from '@countersign/tool-kit';
import { defineAggregation, type MarkedRow } from '@countersign/tool-kit/patterns/aggregation';
import { decimalText } from '@countersign/tool-kit/patterns/decimal';
import { z } from 'zod';
import { readRecord } from '../records.js';

const name = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);
/** A collection is a file `objects/<name>.jsonl`, one object a line. */
const storedObject = z.object({
  at: z.iso.datetime({ offset: true }),
  markings: z.array(z.string()).default([]),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

/** Counts or measures the objects of a collection in a window of time. */
export const aggregateObjects = defineAggregation({
  name: 'aggregate_objects',
  version: '1.0.0',
  title: 'Aggregate objects',
  description: 'Computes count, sum, min, max or mean over the objects of a collection (for example claims) in a window of time, exactly.',
  category: 'data',
  capabilities: ['aggregation', 'metrics'],
  markings: ['internal', 'pii.medium'],
  query: z.strictObject({
    collection: name,
    field: name.optional().describe('The decimal that is measured; not needed to count.'),
    where: z.record(name, z.string().max(200)).default({}).describe('Fields that must have these values.'),
  }),
  rows: async ({ collection, field, where }, { from_ms, to_ms }, ctx) => {
    const text = await readRecord(ctx, 'objects', `${collection}.jsonl`);
    if (text === undefined)
      throw new ToolError('VALIDATION_ERROR', `collection ${collection} does not exist`, { class: 'not_found', effect: 'none' });
    const rows: MarkedRow[] = [];
    for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
      const { at, markings, fields } = readObject(line, collection);
      const inside = Date.parse(at) >= from_ms && Date.parse(at) < to_ms;
      if (!inside || !Object.entries(where).every(([key, value]) => String(fields[key]) === value)) continue;
      const value = field === undefined ? undefined : decimalText.safeParse(String(fields[field] ?? ''));
      rows.push({ value: value?.success ? value.data : null, markings });
    }
    return { rows, snapshot_id: `snap_${createHash('sha256').update(text).digest('hex').slice(0, 32)}` };
  },
});

function readObject(line: string, collection: string): z.output<typeof storedObject> {
  try {
    return storedObject.parse(JSON.parse(line));
  } catch {
    throw new ToolError('PROVIDER_ERROR', `the collection ${collection} is damaged`, { effect: 'none' });
  }
}
