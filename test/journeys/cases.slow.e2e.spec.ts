import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { verify } from '@countersign/cli/commands/verify';
import type { Bundle } from '@countersign/evidence';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countersign } from './cli.js';
import { type Lie, MonitoredCases, until } from './monitored-cases.js';

/** The bundle of a case, once its newest leaf counts this many records. */
const bundleOf = (at: MonitoredCases, case_id: string, isWhole: (bundle: Bundle) => boolean) =>
  until(`a bundle of ${case_id}`, async () => {
    const { status, body } = await at.auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    return status === 200 && isWhole(body) ? body : undefined;
  });

const counted = ({ case: of }: Bundle) => of?.steps.reduce((sum, { records }) => sum + records.length, 0) ?? 0;
const ofCalls = ({ records }: Bundle) =>
  records.filter(({ event }) => (event as { meta: { call_id: string | null } }).meta.call_id !== null).length;
const isComplete = (bundle: Bundle) => bundle.case !== undefined && counted(bundle) === ofCalls(bundle);

async function verified(at: MonitoredCases, bundle: unknown): Promise<{ code: number; output: string }> {
  const file = at.file('bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  const { code, lines } = await verify.run([file, '--vkey', await at.vkey()], {});
  return { code, output: lines.join('\n') };
}

describe.concurrent('an honest log', () => {
  let at: MonitoredCases;
  beforeAll(async () => {
    at = await (await MonitoredCases.create()).open();
  });
  afterAll(() => at?.close());

  test.sequential('the bundle of a case is complete up to a cut; a record that is left out is noticed', async () => {
    const case_id = await at.newCase();
    await at.write(case_id);
    await bundleOf(at, case_id, isComplete);
    await at.write(case_id);
    const bundle = await bundleOf(at, case_id, isComplete);
    const { code, output } = await verified(at, bundle);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/complete up to cut \d+ \(checkpoint \d+\): case .* had \d+ records, and all of them/),
    ]);
    expect(output).toContain('not proven: what came later than cut');
    expect(bundle.case?.steps.length).toBeGreaterThan(1);
    const [first, ...rest] = bundle.case?.steps ?? [];
    const lies = [
      { ...bundle.case, steps: rest },
      { ...bundle.case, steps: [{ ...first, records: first?.records.slice(1) }, ...rest] },
      { ...bundle.case, steps: [{ ...first, cut: (first?.cut ?? 0) + 1 }, ...rest] },
    ];
    for (const of of lies) expect((await verified(at, { ...bundle, case: of })).output).toContain('refused');
    const { case: _, ...without } = bundle;
    expect((await verified(at, without)).output).toContain('not proven: that the bundle is complete. It has no leaf of a case');
    const call_id = bundle.calls[0]?.call_id as string;
    const { body: ofOne } = await at.auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
    expect((await verified(at, ofOne)).output).toMatch(/counts \d+ records up to cut \d+ .*; \d+ of them are not in this bundle/);
  });

  test.sequential(
    'a monitor recomputes the leaves, goes on where it was, and accuses no honest log that starts again or loses its folders',
    async () => {
      const look = async (dir: string) => countersign({ COUNTERSIGN_TOKEN: at.auditor.key }, 'monitor', ...(await at.lookArgs(dir)));
      const case_id = await at.newCase();
      await at.write(case_id);
      await bundleOf(at, case_id, isComplete);
      const first = await look('monitor');
      expect([first.code, first.output]).toEqual([
        0,
        expect.stringMatching(/checked up to checkpoint \d+: [1-9]\d* leaves of cases recomputed\n/),
      ]);
      await at.restarted();
      await at.write(case_id);
      await at.restarted(() => rmSync(path.join(at.platform.dataDir, 'audit'), { recursive: true }));
      await at.write(case_id);
      await bundleOf(at, case_id, isComplete);
      for (const dir of ['monitor', 'fresh']) expect(await look(dir)).toMatchObject({ code: 0 });
    },
  );
});

const LIES: readonly [Lie, RegExp][] = [
  ['count', /ALERT: the leaf of case .* for checkpoint \d+ counts \d+ records in all, and the case has \d+/],
  ['added', /ALERT: .* counts \d+ records, and the checkpoint adds \d+/],
  ['hash', /ALERT: .* has the hash of other records/],
  ['previous', /ALERT: .* does not lead to the leaf before/],
  ['cut', /ALERT: .* has cut \d+, and its checkpoint has \d+/],
  ['leave out', /ALERT: .* is missing/],
];

// Two at a time: they wait for checkpoints.
describe.concurrent.each([
  ['first', LIES.slice(0, 3)],
  ['last', LIES.slice(3)],
])('the %s lies', (_, lies) => {
  let at: MonitoredCases;
  beforeEach(async () => {
    at = await (await MonitoredCases.create()).open();
  });
  afterEach(() => at?.close());

  test.sequential.each(lies)(
    'a signer that lies about a leaf (%s): the monitor alerts, and the bundle does not say that it is complete',
    async (lie, alert) => {
      const [case_id, other] = [await at.newCase(), await at.newCase()];
      await at.write(case_id);
      await bundleOf(at, case_id, isComplete);
      expect(await at.look(lie)).toMatchObject({ code: 0 });
      const before = await at.leaves();
      at.lie(lie);
      await at.write(case_id);
      // The first leaf of the other case is honest. It may have a second one, which is a lie too.
      await at.write(other);
      await at.moreLeaves(before);
      // Later entries with leaves of other cases show that one is missing.
      const found = await until(`an alert of ${lie}`, async () => {
        await at.write(await at.newCase());
        const looked = await at.look(lie);
        return looked.code === 0 ? undefined : looked;
      });
      expect([found.code, found.output]).toEqual([1, expect.stringMatching(alert)]);
      expect((await at.look(lie)).output).toContain('ALERT');
      const { body: bundle } = await at.auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
      expect((await verified(at, bundle)).output).toMatch(
        /[1-9]\d* more records of calls in the bundle are not counted there|It has no leaf of a case/,
      );
    },
  );
});
