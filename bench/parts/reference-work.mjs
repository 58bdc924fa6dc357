// A fixed piece of work of the kind that the claims are about: what a machine takes for it says how fast that machine is, in the same minute.

import { createHash } from 'node:crypto';
import { median } from './report.mjs';

/** CPU of one piece on the machine that the limits of the claims are for, in ms: two cores, quiet (bench/README.md). */
const REFERENCE_MS = 10;
const PIECES = 9;
const WARM = 20;
const WORDS = /\b(?:alpha|beta|gamma|delta|epsilon)\b[ ,]*(?:one|two|three)?/gi;
const text = 'alpha, the quick brown fox; beta two jumps over the lazy dog, gamma '.repeat(4000);
const rows = Array.from({ length: 9000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b', String(id % 7)], amount: id * 1.5 }));

function piece() {
  let found = 0;
  for (const match of text.matchAll(WORDS)) found += match[0].length;
  const copy = JSON.parse(JSON.stringify(rows));
  copy.sort((a, b) => (a.tags[2] < b.tags[2] ? -1 : a.tags[2] > b.tags[2] ? 1 : b.amount - a.amount));
  const totals = new Map();
  for (const { tags, amount } of copy) totals.set(tags[2], (totals.get(tags[2]) ?? 0) + amount);
  return (
    createHash('sha256')
      .update(text)
      .update(JSON.stringify([...totals]))
      .digest('hex').length + found
  );
}

function once() {
  const begun = process.cpuUsage();
  piece();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/** How many times as long as the reference this machine takes now. */
export function slowness() {
  return median(Array.from({ length: WARM + PIECES }, once).slice(WARM)) / REFERENCE_MS;
}
