import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import type { Bundle } from '@countersign/evidence';
import { expect, type OnTestFinishedHandler, test } from 'vitest';
import { countersign } from './cli.js';
import { MonitoredCases, until } from './monitored-cases.js';
import { daysFromNow } from './time-shift.js';

const AGO_DAYS = 200;
const SMALL_FILES = { COUNTERSIGN_JOURNAL_FILE_BYTES: '65536' };
const CONTENT = 'honest'.padEnd(8_000, '.');

/** Writes a file in a case, and waits until a checkpoint covers a leaf of a case more. */
async function covered(at: MonitoredCases, case_id: string, name?: string): Promise<string> {
  const before = await at.leaves();
  const call_id = await at.write(case_id, name);
  await at.moreLeaves(before);
  return call_id;
}

/** Neither a monitor that has followed the log nor a new one alerts. Returns what the new one says. */
async function areQuiet(at: MonitoredCases, name: string): Promise<string> {
  const [followed, fresh] = [await at.look('followed'), await at.look(`${name}-fresh`)];
  expect([followed.code, followed.output, fresh.code, fresh.output]).toEqual([0, expect.any(String), 0, expect.any(String)]);
  return fresh.output;
}

/** From now on the signer lowers the counts of cases: each of these monitors alerts. */
async function liesAreFound(at: MonitoredCases, case_id: string, dirs: readonly string[]): Promise<void> {
  at.lie('count');
  await at.write(case_id);
  for (const dir of dirs) {
    const alert = await until(`an alert of ${dir}`, async () => {
      const { code, output } = await at.look(dir);
      return code === 0 ? undefined : output;
    });
    expect(alert).toMatch(/ALERT: the leaf of case .* counts \d+ records in all, and the case has \d+/);
  }
}

function operatorOf({ platform }: MonitoredCases): (...args: string[]) => ReturnType<typeof countersign> {
  return (...args) => countersign({ COUNTERSIGN_KEY: platform.admin().key }, ...args, '--url', platform.base);
}

async function verified(at: MonitoredCases, bundle: Bundle): Promise<string> {
  const file = at.file('bundle.json');
  writeFileSync(file, JSON.stringify(bundle));
  return (await countersign({}, 'verify', file, '--vkey', await at.vkey())).output;
}

/** A platform with a case in which a file was written. */
async function begun(
  { onTestFinished }: { onTestFinished: (handler: OnTestFinishedHandler) => void },
  env: Record<string, string> = {},
): Promise<{ at: MonitoredCases; case_id: string }> {
  const at = await MonitoredCases.create(SMALL_FILES, CONTENT);
  onTestFinished(() => at.close());
  await at.open(env);
  const case_id = await at.newCase();
  await at.write(case_id);
  return { at, case_id };
}

// Side by side: they wait for checkpoints.
test.concurrent('records of cases are dropped: no alert, and an alert of a false leaf after it', async (context) => {
  const { at, case_id } = await begun(context, daysFromNow(-AGO_DAYS));
  const write = () => at.write(case_id);
  for (let n = 0; n < 8; n++) await Promise.all([write(), write(), write(), write()]);
  await covered(at, case_id);
  await areQuiet(at, 'before');
  await at.restarted();
  const admin = at.platform.admin();
  await admin.request('PUT', '/v1/retention', { floor_months: 6, rules: [] });
  await until('old records are dropped', async () => {
    const { body } = await admin.request<{ dropped: { segments: number } | null }>('POST', '/v1/log/drops', { keep_months: 6 });
    return body.dropped?.segments ? true : undefined;
  });
  await covered(at, case_id);
  expect(await areQuiet(at, 'after')).toMatch(/[1-9]\d* not \(records were dropped or given up\)/);
  const other = await at.newCase();
  await covered(at, other);
  await areQuiet(at, 'later');
  await liesAreFound(at, other, ['followed', 'after-fresh', 'later-fresh', 'new']);
});

test.concurrent('a subject of a case is erased: no alert, and an alert of a false leaf after it', async (context) => {
  const { at, case_id } = await begun(context);
  const admin = at.platform.admin();
  await admin.request('PUT', '/v1/personal-data/files', { tools: ['write_file'], subjects: ['/path'] });
  await covered(at, case_id, 'ada.txt');
  await areQuiet(at, 'before');
  expect((await admin.request('POST', '/v1/subjects/ada.txt/erase', { reason: 'asked' })).status).toBeLessThan(300);
  await covered(at, case_id);
  await areQuiet(at, 'after');
  await liesAreFound(at, case_id, ['followed', 'after-fresh', 'new']);
});

test.concurrent(
  'a replaced record of a case is accepted, and its tree starts again: no alert, and an alert of a false leaf after it',
  async (context) => {
    const { at, case_id } = await begun(context);
    const { platform, auditor } = at;
    const call_id = await covered(at, case_id);
    await areQuiet(at, 'before');
    const { body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call_id}`);
    const request = body.records.find(({ event_type }) => event_type === 'tool_call_requested');
    const { topic, partition, offset } = request as Bundle['records'][number];
    await at.restarted(async () => {
      const place = { topic, partition, offset };
      await forgeRecord(path.join(platform.dataDir, 'log'), place, (value) => void value.write('forged', value.indexOf('honest')));
      rmSync(path.join(platform.dataDir, 'audit', 'trees', topic), { recursive: true });
    });
    const operator = operatorOf(at);
    await until('the damage', async () => ((await operator('accept-damage')).output.includes('found by signer') ? true : undefined));
    const accepted = await operator('accept-damage', '--all', '--reason', 'no backup');
    expect(accepted.output).toContain(`continues as ${topic}/${partition}#2`);
    await at.restarted();
    expect((await operator('projections', 'rebuild', 'call')).code).toBe(0);
    await operator('accept-damage', '--all', '--reason', 'rows are folded anew');
    await covered(at, case_id);
    await areQuiet(at, 'after');
    await liesAreFound(at, case_id, ['followed', 'after-fresh', 'new']);
  },
);

/** Kills the process after entries of the new tree of cases, before a leaf is written for any of them. The signer is honest again after that. */
async function killedBeforeLeaf(at: MonitoredCases, case_id: string): Promise<void> {
  await until('a checkpoint with the new tree', async () => (await at.leavesByTree()).length === 2 || undefined);
  const before = await at.leavesByTree();
  for (let n = 0; n < 2; n++) {
    const { size } = await at.newest();
    await at.write(case_id);
    await until('another checkpoint', async () => (await at.newest()).size > size || undefined);
  }
  expect(await at.leavesByTree()).toEqual(before);
  await at.restarted(() => at.lieNoMore(), 'SIGKILL');
}

test.concurrent.for([
  ['is accepted, and the tree of cases starts again', false],
  ['is accepted, and the process is killed before the first leaf of the new tree', true],
] as const)('a leaf of a case that cannot be read %s: no alert, and an alert of a false leaf after it', async ([, is_killed], context) => {
  const { at, case_id } = await begun(context);
  const operator = operatorOf(at);
  await covered(at, case_id);
  await covered(at, case_id);
  await areQuiet(at, 'before');
  const place = { topic: 'cases', partition: 0, offset: 1 };
  await at.restarted(async () => {
    await forgeRecord(path.join(at.platform.dataDir, 'log'), place, (value) => void value.fill(0));
    if (is_killed) at.lie('hold');
  });
  // The comparison at the start finds the record first; then the signer finds that it cannot go on from it.
  await until('the tree of cases begins again', async () => {
    const { output } = await operator('accept-damage', '--all', '--reason', 'no backup');
    return output.includes('continues as cases/0#2') || undefined;
  });
  if (is_killed) await killedBeforeLeaf(at, case_id);
  await covered(at, case_id);
  await areQuiet(at, 'after');
  const report = await until('a bundle with a leaf of the case', async () => {
    const { status, body } = await at.auditor.request<Bundle>('GET', `/v1/audit/bundle?case_id=${case_id}`);
    return status === 200 && body.case ? verified(at, body) : undefined;
  });
  expect(report).toMatch(
    /complete up to cut \d+ .*\n.*began again by decision [0-9a-f-]+: records that the case had before are not counted/,
  );
  await at.restarted();
  await covered(at, case_id);
  await areQuiet(at, 'later');
  await liesAreFound(at, case_id, ['followed', 'after-fresh', 'new']);
});
