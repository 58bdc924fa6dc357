import type { Pack } from '@countersign/tool-kit';
import { LEDGER_SETTING } from '../ledger/ledger-session.js';
import { MAIL_SETTING, send } from './send.js';

/** Mail by a real server. Requests and fault switches are those of the ledger. */
export const pack: Pack = {
  name: 'mail',
  version: '1.0.0',
  settings: { [LEDGER_SETTING]: undefined, [MAIL_SETTING]: undefined },
  tools: [send],
};
