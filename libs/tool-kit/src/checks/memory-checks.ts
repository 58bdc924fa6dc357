import { isReadOnly } from '@countersign/contracts';
import { expect } from 'expect';
import type { RunContext } from '../tool.js';
import type { ToolProbe } from '../tool-probe.js';
import { type Check, freshKey } from './check.js';
import { inOtherTimes } from './other-times.js';

const stranger: Partial<RunContext> = {
  tenant_id: 'other',
  principal: { kind: 'user', id: 'somebody' },
  clearances: ['*'],
  case_id: null,
  run_id: 'run-2',
};

/** Nothing is kept between runs, and the output of a pure tool depends only on its input. */
export function memoryChecks(probe: ToolProbe): Check[] {
  const { effect_class } = probe.tool.contract;
  const reads = isReadOnly(effect_class) && effect_class !== 'pure';
  return [
    ...(effect_class === 'pure'
      ? [{ title: 'a pure tool returns the same bytes at another time and for another caller', run: () => answersTheSame(probe) }]
      : []),
    { title: 'no state is kept between runs: a new world gives the same results as the first', run: () => meetsAnew(probe) },
    ...(reads && probe.options.counterpart?.clean
      ? [{ title: 'no state is kept between runs: results of a removed world are not served from memory', run: () => forgets(probe) }]
      : []),
  ];
}

async function answersTheSame(probe: ToolProbe): Promise<void> {
  for (const { input } of probe.options.golden) {
    const first = JSON.stringify(await probe.run(input));
    const later = await inOtherTimes(() => probe.run(input, { context: stranger }));
    expect(JSON.stringify(later)).toBe(first);
  }
}

/** Runs the same call in the same world, before and after every other golden input of other tenants. */
async function meetsAnew(probe: ToolProbe): Promise<void> {
  const [{ input }, ...others] = probe.options.golden;
  const key = freshKey();
  const round = async () => {
    await probe.newWorld();
    const outcome = await probe.attempt(input, { key });
    return probe.comparable({ outcome, world: await probe.options.counterpart?.snapshot?.() });
  };
  const first = await round();
  for (const other of [...others, { input }]) {
    await probe.newWorld();
    await probe.attempt(other.input, { context: { ...probe.options.context, tenant_id: 'other', case_id: 'case-2' } });
  }
  expect(await round()).toEqual(first);
}

async function forgets(probe: ToolProbe): Promise<void> {
  const { input } = probe.options.golden[0];
  await probe.newWorld();
  const here = probe.comparable(await probe.attempt(input));
  await probe.options.counterpart?.clean?.();
  const second = probe.comparable(await probe.attempt(input));
  await probe.newWorld();
  expect(second).not.toEqual(here);
}
