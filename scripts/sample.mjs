// node scripts/sample.mjs --seed N: ten source files (their first 40 lines) and ten reasons of the error catalog, drawn by the seed,
// for a reader who does not know the project. What is not clear at first reading is rewritten.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } });
if (!/^\d+$/.test(values.seed)) throw new Error(`--seed is ${values.seed}: give a whole number`);

/** Mulberry32: the same seed draws the same sample on every machine. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function draw(items, count, next) {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(Math.floor(next() * left.length), 1)[0]);
}

const next = random(Number(values.seed));
const files = execFileSync('git', ['ls-files', '--', 'apps', 'libs', 'packs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.includes('/generated/') && !file.endsWith('.spec.ts'));
const reasons = readFileSync('docs/reference/errors.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| `\w+` \| `[\w-]+` \|[^|]+\|$/.test(line));

for (const file of draw(files, 10, next)) console.log(`=== ${file}\n${readFileSync(file, 'utf8').split('\n').slice(0, 40).join('\n')}\n`);
console.log(draw(reasons, 10, next).join('\n'));
