import { setTimeout } from 'node:timers/promises';
import { expect } from 'expect';
import { isDeclared } from '../declared-hosts.js';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, within } from './check.js';
import { hostsReached } from './network-watch.js';

/** A loaded machine is slow to hear a signal; a deaf tool never does. */
const ABORT_GRACE_MS = 5_000;

/** Time, size and network. */
export function limitChecks(probe: ToolProbe): Check[] {
  const { slow, large } = probe.options;
  return [
    {
      title: 'a run that is aborted before it begins ends at once, and what it promises not to have done it has not done',
      run: () => endsUnbegun(probe),
    },
    { title: 'no host is reached that the contract does not declare', run: () => reachesDeclared(probe) },
    ...(slow
      ? [
          { title: 'an abort ends the run with a ToolError', run: () => endsOnAbort(probe, slow) },
          { title: 'the deadline ends the run with a ToolError', run: () => endsAtDeadline(probe, slow) },
        ]
      : []),
    ...(large ? [{ title: 'an answer larger than max_output_bytes is cut or refused', run: () => staysSmall(probe, large) }] : []),
  ];
}

async function endsUnbegun(probe: ToolProbe): Promise<void> {
  const before = await probe.options.counterpart?.snapshot?.();
  const running = probe.attempt(probe.options.golden[0].input, { context: { signal: AbortSignal.abort() } });
  const outcome = await within(ABORT_GRACE_MS, running, 'aborted before it began');
  if (outcome.kind === 'output') return expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
  expect(outcome.error).toMatchObject({ countersign_tool_error: true });
  if ((outcome.error as { more?: { effect?: string } }).more?.effect === 'none') {
    expect(await probe.options.counterpart?.snapshot?.()).toEqual(before);
  }
}

async function reachesDeclared(probe: ToolProbe): Promise<void> {
  const { network = [] } = probe.tool.contract;
  const reached = await hostsReached(async () => {
    for (const { input } of probe.options.golden) await probe.attempt(input);
  });
  expect(reached.filter((target) => !isDeclared(target, network))).toEqual([]);
}

async function endsOnAbort(probe: ToolProbe, slow: Record<string, unknown>): Promise<void> {
  const stop = new AbortController();
  const running = probe.attempt(slow, { context: { signal: stop.signal } });
  await setTimeout(50);
  stop.abort();
  expect(await within(ABORT_GRACE_MS, running, 'aborted')).toMatchObject({ kind: 'error', error: { countersign_tool_error: true } });
}

/** As the executor does it: the signal is aborted when the time is up. */
async function endsAtDeadline(probe: ToolProbe, slow: Record<string, unknown>): Promise<void> {
  const left_ms = 100;
  const context = { deadline_ms: Date.now() + left_ms, signal: AbortSignal.timeout(left_ms) };
  const running = probe.attempt(slow, { context });
  expect(await within(left_ms + ABORT_GRACE_MS, running, 'past its deadline')).toMatchObject({
    kind: 'error',
    error: { countersign_tool_error: true },
  });
}

async function staysSmall(probe: ToolProbe, large: Record<string, unknown>): Promise<void> {
  const outcome = await probe.attempt(large);
  if (outcome.kind === 'error') return expect(outcome.error).toMatchObject({ countersign_tool_error: true });
  expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(probe.tool.contract.max_output_bytes);
}
