import { contractTests } from '@countersign/tool-kit/contract-tests';
import { afterAll, beforeAll } from 'vitest';
import { Ledger } from '../ledger/ledger.js';
import { realDatabase, realPop3, realSmtp } from '../real-parts.js';
import { Recipient } from './recipient.js';
import { MAIL_SETTING, send } from './send.js';

let ledger: Ledger;
/** One for each world. */
let recipient: Recipient;
beforeAll(async () => {
  ledger = await Ledger.open(realDatabase());
});
afterAll(() => ledger?.close());

const mail = (more: object = {}) => ({
  get to() {
    return recipient.address;
  },
  subject: 'Your order',
  text: 'It is on its way.',
  ...more,
});

contractTests(send, {
  golden: [{ title: 'a mail', input: mail() }],
  counterpart: {
    common: 'a mail server knows no tenants: the Message-ID comes from the key, which is derived for each tenant',
    prepare: async () => {
      recipient = new Recipient(realPop3());
      await ledger.empty();
      await ledger.switchOn({
        tool: 'mail_send',
        moment: 'before',
        fault: 'delay',
        delay_ms: 20_000,
        inputs: { subject: 'slow' },
        times: 9,
      });
    },
    settings: () => ({ ...ledger.settings, [MAIL_SETTING]: `smtp://${realSmtp()}` }),
    snapshot: () => recipient.messageIds(),
  },
  states: [{ title: 'two mails to one recipient', a: mail(), b: mail({ subject: 'Your invoice' }) }],
  slow: { to: 'slow@example.org', subject: 'slow', text: '' },
  generated: (inputs) => inputs.map((generated) => ({ ...(generated as object), to: recipient.address })),
  generated_runs: 5,
  volatile: [/[0-9a-f-]{36}@example\.org/g],
});
