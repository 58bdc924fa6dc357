import { hasRebuildWork, projectionDigests, type Statement, type TableDigest, viewSets } from '@countersign/store';
import { expect, test } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function digests({ store }: PlatformOnDisk): Promise<TableDigest[]> {
  const found: TableDigest[] = [];
  for (const { name } of viewSets) found.push(...((await projectionDigests(store, name)) ?? []));
  return found;
}

async function rebuildAll({ store }: PlatformOnDisk): Promise<void> {
  await store.query({
    text: 'INSERT INTO projection_requests SELECT name, 1000000 FROM unnest($1::text[]) AS name',
    params: [viewSets.map(({ name }) => name)],
  });
  expect(await hasRebuildWork(store)).toBe(true);
  for (const end = performance.now() + 60_000; await hasRebuildWork(store); await sleep(50))
    if (performance.now() > end) throw new Error('it is not built anew');
}

/** Counts the rows that a store accepts by COPY, by statement name without its build; refused rows do not count. */
function copies({ store }: PlatformOnDisk): Map<string, number> {
  const copied = new Map<string, number>();
  const write = store.atomically.bind(store);
  const note = ({ name = '', params, copy }: Statement) => {
    const of = name.replace(/_v\d.*/, '');
    if (copy) copied.set(of, (copied.get(of) ?? 0) + (params[0] as unknown[]).length);
  };
  store.atomically = async (statements, priority) => {
    const rows = await write(statements, priority);
    statements.forEach(note);
    return rows;
  };
  return copied;
}

test('a replay copies new rows into the tables of its build, which equal the earlier ones byte for byte', async () => {
  const platform = await PlatformOnDisk.open();
  const history = new SampleHistory();
  history.openCase('c1', 'First');
  for (let n = 0; n < 900; n++) history.call(courses[n % courses.length]!, n % 2 === 0 ? 'c1' : null);
  for (let at = 0; at < history.events.length; at += 500) await platform.append(history.events.slice(at, at + 500));
  const projector = await startProjector(platform.deps, { lanes: ['shared'] });
  try {
    await platform.folded();
    const before = await digests(platform);
    const copied = copies(platform);
    await rebuildAll(platform);
    expect(await digests(platform)).toEqual(before);
    const rowsOf = (table: string) => before.find((digest) => digest.table === table)?.rows;
    expect(copied.get('views_insert_case_history')).toBe(rowsOf('case_history'));
    expect(copied.get('views_upsert_calls')).toBe(rowsOf('calls'));
    expect(copied.get('views_upsert_approvals')).toBe(rowsOf('approvals'));
    expect(copied.get('views_upsert_votes')).toBe(rowsOf('approval_votes'));
    expect(rowsOf('approval_votes')).toBeGreaterThan(100);
  } finally {
    await projector.close();
    await platform.close();
  }
});
