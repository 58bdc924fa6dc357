import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { identityOf, isKnownDead, type ProcessIdentity } from '@countersign/runtimes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

let rig: Rig;
let child: ChildProcess;
let identity: ProcessIdentity;

beforeEach(async () => {
  rig = await Rig.open();
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  identity = identityOf(child.pid as number);
});
afterEach(async () => {
  await ended('SIGKILL');
  await rig.close();
});

/** Kills the child and waits until it has exited. */
async function ended(signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** A write whose executor died after it passed the write to a child process; the system of record shows that it did not happen. */
async function takenOver() {
  const first = await rig.start();
  await rig.end(await rig.allow('asked_write', 'before'));
  await first.close();
  const ruling = rig.ruling('asked_write', 'k');
  await rig.put('policy_decided', [ruling]);
  await rig.startedByAnother(ruling, identity);
  await rig.start();
  return rig.end(ruling);
}

test.each<['runs on' | 'is stopped', NodeJS.Signals | null]>([
  ['runs on', null],
  ['is stopped', 'SIGSTOP'],
])('a write that was handed to a process which %s is in doubt, and is not sent again: it may still happen', async (_what, signal) => {
  if (signal) child.kill(signal);
  expect(isKnownDead(identity)).toBe(false);
  expect((await takenOver()).event.outcome).toMatchObject({ status: 'in_doubt', effect: 'unknown' });
  expect(rig.world.effectsOf(rig.ruling('asked_write', 'k').call.idempotency_key)).toBe(0);
});

test('a write that was passed to a dead process and did not happen has failed, and its key is free', async () => {
  await ended('SIGKILL');
  expect(isKnownDead(identity)).toBe(true);
  expect((await takenOver()).event.outcome).toMatchObject({ status: 'failed', effect: 'none' });
  expect((await rig.end(await rig.allow('asked_write', 'k'))).event.outcome.status).toBe('succeeded');
});
