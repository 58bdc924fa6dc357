import { checkpointAttacks } from './checkpoint-attacks.js';
import { journalAttacks } from './journal-attacks.js';
import { keyAttacks } from './key-attacks.js';
import type { ProductAttack } from './product-attack.js';
import { rowAttacks } from './row-attacks.js';
import { tileAttacks } from './tile-attacks.js';

/** Every class of forgery of the data folder. A new one is one entry in one of these lists, and a row in docs/how-to/auditors.md. */
export const productAttacks: readonly ProductAttack[] = [
  ...journalAttacks,
  ...tileAttacks,
  ...checkpointAttacks,
  ...rowAttacks,
  ...keyAttacks,
];
