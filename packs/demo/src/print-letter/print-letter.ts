import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce } from '../fake-system.js';

/** Prints a letter on a fake printer; `countersign demo` deprecates it. */
export const printLetter = defineTool({
  name: 'demo_print_letter',
  version: '1.0.0',
  title: 'Print a letter (demo)',
  description: 'Prints a letter on the fake printer of the demo. The demo deprecates this tool: use demo_send_mail.',
  summary: 'Print a letter to {/to} ({lines of /text} lines)',
  category: 'demo',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['to', 'text'] },
  input: z.strictObject({ to: z.string().min(1).max(200), text: z.string().max(20_000) }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: (_input, ctx) => bookOnce(ctx, 'printer', 'letter'),
});
