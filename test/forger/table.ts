import { readFileSync } from 'node:fs';

/** A row of the table "Which attack is found by whom". */
export interface TableRow {
  attack: string;
  key: string;
  server: string;
  scrub: string;
  witness: string;
  client: string;
}

/** The table in docs/how-to/auditors.md. */
export function attackTable(): TableRow[] {
  const lines = readFileSync('docs/how-to/auditors.md', 'utf8').split('\n');
  const start = lines.indexOf('| attack | key | server | scrub | witness | client |');
  if (start < 0) throw new Error('docs/how-to/auditors.md has no table of attacks');
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => {
      const [attack = '', key = '', server = '', scrub = '', witness = '', client = ''] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return { attack, key, server, scrub, witness, client };
    });
}

const LATER = 'a record changed, only later checkpoints signed again';
const TREES = 'a tree left out, started again, listed twice, or new with a past';
const MARKED = "the newest checkpoint signed again, a fork or a roll back with the signer's mark left in place";
const GENERATIONS =
  'a generation of a tree without a recorded decision, by an earlier decision, or with a base that hides records; a frozen tree that continues';
const CUTS = 'a cut left out, signed twice or missing; an open entry with the number of another cut';

/** The row of each class of attack on the libraries. */
export const rowOfClass: Readonly<Record<string, string>> = {
  change: LATER,
  drop: LATER,
  swap: LATER,
  truncate: LATER,
  'replace the tail': LATER,
  'skip an entry': 'one false entry signed, the next ones honest',
  'leave a tree out': TREES,
  'start a tree again': TREES,
  'a tree twice': TREES,
  'a new tree with a past': TREES,
  'roll back': MARKED,
  fork: MARKED,
  're-sign': MARKED,
  'open a generation without a decision': GENERATIONS,
  'open a generation with a base that hides records': GENERATIONS,
  'open a generation by a decision of before': GENERATIONS,
  'continue the frozen tree': GENERATIONS,
  'leave a cut out': CUTS,
  'sign a cut twice': CUTS,
  'sign an entry without a cut': CUTS,
  'go back to entries without cuts': CUTS,
  'give an open entry the cut before': CUTS,
};
