import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { request } from '../ledger/ledger-request.js';
import { sendBySmtp } from './smtp.js';

/** `smtp://host:port` */
export const MAIL_SETTING = 'MAIL_URL';
const FROM = 'orders@example.org';
const name = 'mail_send';

/** The Message-ID of a run: two mails with one are a duplicate. */
export const messageIdOf = (key: string): string => `<${key}@countersign.test>`;

/** A mail server takes no key and cannot be asked: a lost answer leaves a doubt, and only the mailbox of the recipient tells. */
export const send = defineTool({
  name,
  version: '1.0.0',
  title: 'Send a mail',
  description: 'For tests: sends a mail over SMTP. It cannot be undone, and nobody can ask whether it was sent.',
  category: 'mail',
  network: ['127.0.0.1', 'localhost'],
  timeout_ms: 10_000,
  effect_class: 'commit_low',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['to', 'subject', 'text'] },
  resources: [{ name: 'mail:{/to}', effect: 'adds' }],
  input: z.strictObject({
    to: z.string().regex(/^[A-Za-z0-9._-]{1,64}@[A-Za-z0-9.-]{1,100}$/),
    subject: z.string().regex(/^[\x20-\x7e]{1,200}$/),
    text: z.string().regex(/^[\x20-\x7e\n]{0,5000}$/),
  }),
  output: z.strictObject({ message_id: z.string(), to: z.string() }),
  run: (inputs, ctx) =>
    request(ctx, { tool: name, action: 'run', key: ctx.idempotency_key, inputs }, async (session) => {
      const url = ctx.settings[MAIL_SETTING];
      if (!url) throw new ToolError('PROVIDER_ERROR', `${MAIL_SETTING} is not set`, { effect: 'none' });
      const message_id = messageIdOf(ctx.idempotency_key);
      session.outcome_is_open = true;
      await sendBySmtp(url, { from: FROM, messageId: message_id, ...inputs }, ctx.signal);
      return { message_id, to: inputs.to };
    }),
});
