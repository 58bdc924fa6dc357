import { type Row, readBuilds } from '@countersign/store';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { SampleHistory } from '../testing/sample-history.js';
import { TestedChecks } from '../testing/state-checks.js';

const CASES = 20;
const history = new SampleHistory();
let platform: PlatformOnDisk;
let projector: Awaited<ReturnType<typeof startProjector>>;

const sql = (text: string) => platform.store.query<Row>({ text, params: [] });
const wrong = () => new TestedChecks(platform.log, platform.store).cases();

beforeAll(async () => {
  platform = await PlatformOnDisk.open();
  for (let n = 0; n < CASES; n++) {
    history.openCase(`case-${n}`, `title ${n}`);
    if (n % 3 === 0) history.openCase(`case-${n}`, null, 'closed');
    // Its base has changed: it takes no effect.
    if (n % 5 === 0) history.openCase(`case-${n}`, 'refused', 'open', { based_on: [{ item: `case/case-${n}`, version: 0 }] });
  }
  await platform.append(history.events);
  projector = await startProjector(platform.deps, { lanes: ['shared'] });
  await platform.folded();
}, 60_000);
afterAll(async () => {
  await projector.close();
  await platform.close();
});

/** Folds the rows again, as the operator does whom the scrub tells to. */
async function rebuilt(): Promise<void> {
  const live = async () => (await readBuilds(platform.store)).find(({ state, projection }) => state === 'live' && projection === 'case');
  const before = await live();
  await sql(
    `INSERT INTO projection_requests VALUES ('case', ${Math.max(1_000_000, (before?.asked_offset ?? 0) + 1)})
     ON CONFLICT (projection) DO UPDATE SET asked_offset = excluded.asked_offset`,
  );
  while ((await live())?.suffix === before?.suffix) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a row of cases that was changed in the database', () => {
  afterEach(rebuilt, 60_000);

  test.each([
    ['its title', `UPDATE cases SET title = 'forged' WHERE case_id = 'case-1'`, /case case-1: the row differs from the log in: title/],
    ['its state', `UPDATE cases SET state = 'open' WHERE case_id = 'case-3'`, /case case-3: .* in: state/],
    ['its reference', `UPDATE cases SET external_id = 'x' WHERE case_id = 'case-1'`, /in: external_id/],
    ['its times', `UPDATE cases SET opened_at_ms = 5, changed_at_ms = 6 WHERE case_id = 'case-1'`, /in: opened_at_ms, changed_at_ms/],
    ['a later record than there is', `UPDATE cases SET source_offset = 1000000 WHERE case_id = 'case-1'`, /in: source_offset/],
    ['it is gone', `DELETE FROM cases WHERE case_id = 'case-1'`, /case case-1: has no row, the log has its record/],
    [
      'it is invented',
      `INSERT INTO cases SELECT tenant_id, 'invented', state, title, external_id, metadata, opened_at_ms, changed_at_ms, source_offset
       FROM cases WHERE case_id = 'case-1'`,
      /case invented: the log has no record of it/,
    ],
  ])(
    'is found: %s',
    async (_, change, reason) => {
      expect(await wrong()).toEqual([]);
      await sql(change);
      expect(await wrong()).toEqual([expect.stringMatching(reason)]);
    },
    60_000,
  );
});

test('honest rows are not reported while cases change, and while the projector lags', async () => {
  for (let round = 0; round < 5; round++) {
    const from = history.events.length;
    for (let n = 0; n < CASES; n++) history.openCase(`case-${n}`, `round ${round}`, round % 2 === 0 ? 'closed' : 'open');
    const comparing = wrong();
    await platform.append(history.events.slice(from));
    expect([await comparing, await wrong()]).toEqual([[], []]);
  }
  await platform.folded();
  expect(await wrong()).toEqual([]);
}, 60_000);
