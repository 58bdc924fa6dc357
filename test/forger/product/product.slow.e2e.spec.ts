import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../random.js';
import { productAttacks } from './attacks.js';
import { askAll, type Found, REFUSED } from './finders.js';
import { HonestHistory } from './honest-history.js';
import { FINDERS, type ProductAttack } from './product-attack.js';

const ATTACKS = Number(process.env.COUNTERSIGN_TEST_FORGER_PRODUCT ?? 8);
const FIRST = Number(process.env.COUNTERSIGN_TEST_FORGER_FIRST ?? 0);
/** Coprime with the number of classes: few attacks are of classes that are far apart, and many are of all. */
const STRIDE = 11;
const AT_ONCE = 3;
const SAID_MAX = 200;
let history: HonestHistory;

beforeAll(async () => {
  history = await HonestHistory.make();
});
afterAll(() => history.close());

const attackOf = (seed: number) => productAttacks[(seed * STRIDE) % productAttacks.length] as ProductAttack;

async function attacked(seed: number): Promise<{ attack: ProductAttack; what: string; found: Found }> {
  const attack = attackOf(seed);
  const target = { installation: await history.copy(), history, random: new Random(seed) };
  try {
    if (attack.isRunning) await target.installation.up({ ...history.env });
    const what = await attack.forge(target);
    if (attack.isRunning) await target.installation.process.stop();
    return { attack, what, found: await askAll(target, attack.found_by) };
  } catch (cause) {
    throw new Error(`seed ${seed}, ${attack.name}: ${String(cause)}\n${target.installation.process.output.slice(-3_000)}`, { cause });
  } finally {
    await target.installation.close();
  }
}

/** Counts of a run, for its report: attack × who found it. */
class Counts {
  private readonly counts = new Map<string, Map<string, number>>();

  add({ name }: ProductAttack, found: Found): void {
    const row = this.counts.get(name) ?? new Map<string, number>();
    const isRefused = found.server?.startsWith(REFUSED) ? ['no start'] : [];
    for (const each of ['attacks', ...Object.keys(found), ...isRefused]) row.set(each, (row.get(each) ?? 0) + 1);
    this.counts.set(name, row);
  }

  get lines(): string[] {
    const row = (name: string, cells: readonly unknown[]) => `${name.padEnd(80)}${cells.map((cell) => String(cell).padStart(9)).join('')}`;
    const columns = ['attacks', ...FINDERS, 'no start'];
    return [
      row('', columns),
      ...[...this.counts].map(([name, counts]) =>
        row(
          name,
          columns.map((each) => counts.get(each) ?? 0),
        ),
      ),
    ];
  }
}

interface Result {
  seed: number;
  attack: ProductAttack;
  what: string;
  found: Found;
}

/** The result if those who must find the forgery did not; a server that refuses to start leaves nothing to ask the others. */
function missed({ attack: { found_by }, found }: Result): boolean {
  if (found_by.length === 0) return Object.keys(found).length > 0;
  if (found.server?.startsWith(REFUSED) && found_by.includes('server')) return false;
  return !found_by.every((finder) => found[finder] !== undefined);
}

const saidBy = (found: Found) =>
  Object.entries(found)
    .map(([finder, said]) => `    ${finder}: ${said.slice(0, SAID_MAX)}\n`)
    .join('');

/** A start waits more than it computes: some run side by side. */
async function sideBySide(seeds: number[]): Promise<Result[]> {
  const results: Result[] = [];
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const result = { seed, ...(await attacked(seed)) };
      results.push(result);
      process.stdout.write(`seed ${seed}, ${result.attack.name}: ${result.what}\n${saidBy(result.found)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

test('the owner of the disk forges a stopped installation: each forgery is found by those who must find it', async () => {
  const results = await sideBySide(Array.from({ length: ATTACKS }, (_, number) => FIRST + number));
  const counts = new Counts();
  for (const { attack, found } of results) counts.add(attack, found);
  process.stdout.write(`${counts.lines.join('\n')}\n`);
  expect(results.filter(missed)).toEqual([]);
  expect(results.length).toBe(ATTACKS);
}, 1_200_000);
