import { defineTool } from '@countersign/tool-kit';
import { z } from 'zod';
import { bookOnce } from '../fake-system.js';

/** Puts a mail into a fake outbox. */
export const sendMail = defineTool({
  name: 'demo_send_mail',
  version: '1.0.0',
  title: 'Send a mail (demo)',
  description: 'Puts a mail into the fake outbox of the demo. Nothing is sent. A mail cannot be taken back.',
  summary: 'Send {/to} the mail {/subject} ({characters of /body} characters)',
  category: 'demo',
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['to', 'subject', 'body'] },
  resources: [{ name: 'mailbox:{/to}', effect: 'adds' }],
  input: z.strictObject({
    to: z.string().min(3).max(200),
    subject: z.string().min(1).max(200),
    body: z.string().max(20_000),
    from_department: z.string().max(100).optional(),
  }),
  output: z.strictObject({ receipt_id: z.string() }),
  run: (_input, ctx) => bookOnce(ctx, 'outbox', 'mail'),
});
