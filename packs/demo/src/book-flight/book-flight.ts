import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce, reconciled, reverse, verified } from '../fake-system.js';

const AIRLINE = 'airline';

/** Books a seat in a fake airline. */
export const bookFlight = defineTool({
  name: 'demo_book_flight',
  version: '1.0.0',
  title: 'Book a flight (demo)',
  description: 'Books a seat in the fake airline of the demo. A booking can be cancelled for two days.',
  summary: 'Book flight {/flight} on {/date} for {/passenger}',
  category: 'demo',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  idempotency: { discriminating: ['flight', 'date', 'passenger'] },
  resources: [{ name: 'seat:{/flight}/{/date}/{/passenger}', effect: 'adds' }],
  takes_key: true,
  undo_within_ms: 2 * 86_400_000,
  input: z.strictObject({ flight: z.string().min(2).max(10), date: z.iso.date(), passenger: z.string().min(1).max(100) }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: (_input, ctx) => bookOnce(ctx, AIRLINE, 'seat'),
  reconcile: (_input, ctx) => reconciled(ctx, AIRLINE),
  compensate: (effect, ctx) => reverse(effect, ctx, AIRLINE),
  verify: (_input, _output, ctx) => verified(ctx, AIRLINE),
});
