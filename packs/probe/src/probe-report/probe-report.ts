import { setTimeout as pause } from 'node:timers/promises';
import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';

/** A report of the requested number of rows; reports progress, attaches a summary, and takes a while. */
export const probeReport = defineTool({
  name: 'probe_report',
  version: '1.0.0',
  title: 'Make a report',
  description: 'For tests: makes a report of some rows in some steps, tells its progress and attaches a summary. Touches nothing outside.',
  category: 'probe',
  effect_class: 'read_internal',
  timeout_ms: 20_000,
  max_output_bytes: 256 * 1024,
  cache: { kind: 'ttl', ttl_ms: 60_000 },
  cost_per_call: 0.25,
  accuracy: 0.95,
  input: z.strictObject({
    name: z.string().max(100),
    rows: z.int().min(0).max(100_000).default(1),
    steps: z.int().min(1).max(50).default(1),
    step_ms: z.int().min(0).max(1000).default(0),
  }),
  output: z.strictObject({ summary: z.string(), rows: z.array(z.strictObject({ id: z.int(), text: z.string() })) }),
  sanity: [{ name: 'rows_as_asked', severity: 'block', holds: (input, made) => made.rows.length === input.rows }],
  run: async ({ name, rows, steps, step_ms }, ctx) => {
    for (let step = 0; step < steps; step++) {
      ctx.progress(step / steps, `step ${step + 1} of ${steps}`);
      await pause(step_ms, undefined, { signal: ctx.signal });
    }
    const summary = await ctx.attach({ kind: 'table', content_type: 'text/csv', data: `name,rows\n${name},${rows}\n` });
    return { summary: summary.url, rows: Array.from({ length: rows }, (_, id) => ({ id, text: `row ${id} of ${name}` })) };
  },
});
