import { attemptKey, isReadOnly } from '@countersign/contracts';
import { expect } from 'expect';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';

/** What a second attempt at one effect, with its own key, must not take over from the first attempt. */
export function attemptChecks(probe: ToolProbe): Check[] {
  const { contract } = probe.tool;
  if (isReadOnly(contract.effect_class)) return [];
  return [
    ...(contract.has_reconcile
      ? [{ title: 'attempts: reconcile answers for its own attempt, never for an earlier one', run: () => reconcilesItsOwn(probe) }]
      : []),
    ...(contract.takes_key
      ? [{ title: 'attempts: a second attempt is a separate effect with its own key', run: () => hasItsOwnEffect(probe) }]
      : []),
  ];
}

/** Calls reconcile for an attempt that was claimed but did not run yet. @throws if reconcile reports that it happened. */
export async function expectNotBegun(probe: ToolProbe, input: Record<string, unknown>, key: string): Promise<void> {
  if (!probe.tool.contract.has_reconcile) return;
  const before = await probe.options.counterpart?.snapshot?.();
  expect(['did_not_happen', 'cannot_tell']).toContain((await probe.reconcile(input, key)).kind);
  expect(await probe.options.counterpart?.snapshot?.()).toEqual(before);
}

async function reconcilesItsOwn(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const first = freshKey();
  const second = attemptKey(first, 2);
  const output = await probe.run(input, { key: first });
  await expectNotBegun(probe, input, second);
  const again = await probe.attempt(input, { key: second });
  const answer = await probe.reconcile(input, first);
  if (answer.kind === 'happened') expect(answer.output).toEqual(output);
  if (again.kind === 'error') {
    expect(again.error).toMatchObject({ countersign_tool_error: true });
    return expectNotBegun(probe, input, attemptKey(first, 3));
  }
  const answered = await probe.reconcile(input, second);
  if (answered.kind === 'happened') expect(answered.output).toEqual(again.output);
  else if (probe.tool.changedNothing?.(again.output as never) !== true) expect(answered.kind).toBe('cannot_tell');
}

/** A system that knows the key of the first attempt would return its result again, without a second effect. */
async function hasItsOwnEffect(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  const first = freshKey();
  await probe.run(input, { key: first });
  const before = await probe.snapshot();
  await probe.run(input, { key: attemptKey(first, 2) });
  expect(await probe.snapshot()).not.toEqual(before);
}
