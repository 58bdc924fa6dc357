import type { Pack } from '@countersign/tool-kit';
import { charge } from './charge.js';
import { LEDGER_SETTING } from './ledger-session.js';
import { readStock } from './read-stock.js';
import { reserve } from './reserve.js';
import { setPrice } from './set-price.js';
import { ship } from './ship.js';

/** Writes on SQL rows of a real Postgres, for journeys: a pack from outside, in a process of its own. */
export const pack: Pack = {
  name: 'ledger',
  version: '1.0.0',
  settings: { [LEDGER_SETTING]: undefined },
  tools: [charge, readStock, reserve, setPrice, ship],
};
