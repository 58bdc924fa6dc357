import { setTimeout } from 'node:timers/promises';
import { expect } from 'expect';
import { isDeclared } from '../declared-hosts.js';
import type { Outcome, ToolProbe } from '../tool-probe.js';
import { type Check, within } from './check.js';
import { hostsReached } from './network-watch.js';

/** A loaded machine receives a signal late; a tool that ignores signals never ends, or only at its own time limit. */
const ABORT_GRACE_MS = 4_000;
const ABORT_AFTER_MS = 50;
/** How much earlier than its clock time a timer may fire. */
const TIMER_MS = 20;

/** Time, size and network. */
export function limitChecks(probe: ToolProbe): Check[] {
  // Reads options lazily: values that a pack computes from its world, such as a port, are known only once that is prepared.
  const { options } = probe;
  return [
    {
      title: 'a run that is aborted before it begins ends at once, and has no effect if it promises none',
      run: () => endsUnbegun(probe),
    },
    { title: 'a run connects only to hosts that the contract declares', run: () => reachesDeclared(probe) },
    ...('slow' in options
      ? [
          { title: 'an abort ends the run with a ToolError', run: () => endsOnAbort(probe) },
          { title: 'the deadline ends the run with a ToolError', run: () => endsAtDeadline(probe) },
        ]
      : []),
    ...('large' in options ? [{ title: 'an answer larger than max_output_bytes is cut or refused', run: () => staysSmall(probe) }] : []),
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

async function endsOnAbort(probe: ToolProbe): Promise<void> {
  const stop = new AbortController();
  const running = attemptSlow(probe, { signal: stop.signal });
  await Promise.race([running, setTimeout(ABORT_AFTER_MS)]);
  stop.abort();
  expect(await within(ABORT_GRACE_MS, running, 'aborted')).toMatchObject({ kind: 'error', error: { countersign_tool_error: true } });
}

/** As in the executor: the signal is aborted when the time is up. */
async function endsAtDeadline(probe: ToolProbe): Promise<void> {
  const left_ms = 100;
  const context = { deadline_ms: Date.now() + left_ms, signal: AbortSignal.timeout(left_ms) };
  const running = attemptSlow(probe, context);
  expect(await within(left_ms + ABORT_GRACE_MS, running, 'past its deadline')).toMatchObject({
    kind: 'error',
    error: { countersign_tool_error: true },
  });
}

/** Runs a slow input. @throws if it ends before it is stopped, because that shows nothing, and for an invalid input. */
async function attemptSlow(probe: ToolProbe, context: { signal: AbortSignal; deadline_ms?: number }): Promise<Outcome> {
  const slow = probe.options.slow ?? {};
  expect(probe.faultsOfInput(slow)).toEqual([]);
  const outcome = await probe.attempt(slow, { context });
  const is_over = context.signal.aborted || (context.deadline_ms !== undefined && Date.now() >= context.deadline_ms - TIMER_MS);
  if (!is_over) throw new Error('the slow input of the eval pack ended before the check could abort it');
  return outcome;
}

async function staysSmall(probe: ToolProbe): Promise<void> {
  const large = probe.options.large ?? {};
  expect(probe.faultsOfInput(large)).toEqual([]);
  const outcome = await probe.attempt(large);
  if (outcome.kind === 'error') return expect(outcome.error).toMatchObject({ countersign_tool_error: true });
  expect(probe.faultsOfOutput(outcome.output)).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(outcome.output))).toBeLessThanOrEqual(probe.tool.contract.max_output_bytes);
}
