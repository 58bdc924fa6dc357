import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { ask } from '../counterparty.js';

const stats = z.strictObject({ effects: z.int(), keys: z.int() });

/** Reads how many effects the counterparty has counted. */
export const probeRead = defineTool({
  name: 'probe_read',
  version: '1.0.0',
  title: 'Read the counterparty',
  description: 'For tests: reads how many effects and keys the probe counterparty has counted so far.',
  category: 'probe',
  effect_class: 'read_external',
  network: ['127.0.0.1', 'localhost'],
  input: z.strictObject({}),
  output: stats,
  run: async (_input, ctx) => {
    const { effects, keys } = (await ask(ctx, '/stats')) as z.output<typeof stats>;
    return { effects, keys };
  },
});
