import { isReadOnly } from '@countersign/contracts';
import { expect } from 'expect';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';

/** Checks the promises of the effect class, the key, reconcile, verify and compensate at the counterpart. */
export function effectChecks(probe: ToolProbe): Check[] {
  const { contract } = probe.tool;
  return [
    ...(isReadOnly(contract.effect_class) ? [{ title: 'a read-only tool changes nothing', run: () => changesNothing(probe) }] : []),
    ...(contract.has_reconcile ? reconcileChecks(probe) : []),
    ...(contract.takes_key ? [{ title: 'takes_key: two requests with one key have one effect', run: () => takesKey(probe) }] : []),
    ...(contract.has_verify
      ? [{ title: 'verify: finds the effect of a run, finds none without a run, and changes nothing', run: () => verifies(probe) }]
      : []),
    ...(contract.has_compensate
      ? [{ title: 'compensate: undoes the effect of a run, and a second undo does no harm', run: () => compensates(probe) }]
      : []),
  ];
}

async function changesNothing(probe: ToolProbe): Promise<void> {
  const before = await probe.snapshot();
  for (const { input } of probe.options.golden) await probe.run(input);
  expect(await probe.snapshot()).toEqual(before);
}

function reconcileChecks(probe: ToolProbe): Check[] {
  const { input } = probe.options.golden[0];
  return [
    {
      title: 'reconcile: does not report an effect for a call that never ran',
      run: async () => {
        const answer = await probe.reconcile(input, freshKey());
        expect(['did_not_happen', 'cannot_tell']).toContain(answer.kind);
      },
    },
    {
      title: 'reconcile: reports the effect of a run, returns the same output, and changes nothing',
      run: async () => {
        const key = freshKey();
        const output = await probe.run(input, { key });
        const before = await probe.options.counterpart?.snapshot?.();
        const answer = await probe.reconcile(input, key);
        expect(answer.kind).not.toBe('did_not_happen');
        if (answer.kind === 'happened') expect(answer.output).toEqual(output);
        expect(await probe.options.counterpart?.snapshot?.()).toEqual(before);
      },
    },
  ];
}

async function takesKey(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const key = freshKey();
  const output = await probe.run(input, { key });
  const before = await probe.snapshot();
  expect(await probe.run(input, { key })).toEqual(output);
  expect(await probe.snapshot()).toEqual(before);
}

/** The read-back must distinguish an existing effect from a missing one: the output of the run is not sufficient. */
async function verifies(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const key = freshKey();
  const output = await probe.run(input, { key });
  const before = await probe.snapshot();
  expect(await probe.verify(input, output, key)).toEqual({ kind: 'verified' });
  expect(await probe.snapshot()).toEqual(before);
  await probe.newWorld();
  expect((await probe.verify(input, output, key)).kind).not.toBe('verified');
}

async function compensates(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const key = freshKey();
  const before = await probe.snapshot();
  const output = await probe.run(input, { key });
  expect(await probe.snapshot()).not.toEqual(before);
  await probe.compensate(input, output, key);
  expect(await probe.snapshot()).toEqual(before);
  if (probe.tool.contract.has_verify) expect((await probe.verify(input, output, key)).kind).not.toBe('verified');
  const again = probe.compensate(input, output, key);
  await again.catch((error: unknown) => expect(error).toMatchObject({ countersign_tool_error: true }));
  expect(await probe.snapshot()).toEqual(before);
}
