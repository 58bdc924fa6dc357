import { expect, test } from 'vitest';
import type { CallEvent } from './events.js';
import { callStages, isBusy, isFinished, standingOf } from './states.js';
import { afterEvent, callLife } from './table.js';

const entries = callStages.flatMap((stage) =>
  Object.entries(callLife[stage]).map(([event, step]) => ({ stage, event: event as CallEvent, step })),
);

test('every stage is reachable, and every stage except the finished ones has a transition', () => {
  const reached = new Set(entries.map(({ step }) => step.to));
  expect(callStages.filter((stage) => stage !== 'new' && !reached.has(stage))).toEqual([]);
  const left = (stage: string) => entries.some((entry) => entry.stage === stage && entry.step.to !== stage);
  expect(callStages.filter((stage) => !left(stage))).toEqual(['in_doubt', 'detached', 'gone']);
});

test('a call fires only from the gate, as a judged read, or as a resend', () => {
  const fires = entries.filter(({ step }) => step.ask === 'run').map(({ stage, event }) => `${stage} ${event}`);
  expect(fires).toEqual(['judging may_run', 'gated may_fire', 'resending run_again']);
});

test('a write passes its claim, then its start, then its gate', () => {
  const to = (stage: string) => entries.filter((entry) => entry.step.to === stage && entry.stage !== stage).map((entry) => entry.stage);
  expect(new Set(to('starting'))).toEqual(new Set(['new', 'claimed', 'resending']));
  expect(new Set(to('claimed'))).toEqual(new Set(['claiming']));
  expect(new Set(to('gated'))).toEqual(new Set(['new', 'starting', 'running']));
});

test('a call that is removed from the list of open calls has released its slot', () => {
  const slotless = new Set(['new', 'queued', 'parked', 'joined', 'awaiting_remote']);
  const leaves = entries.filter(({ stage, step }) => isFinished(step.to) && !isFinished(stage) && !slotless.has(stage));
  for (const { stage, event, step } of leaves)
    expect({ stage, event, frees: step.effects.some((effect) => effect === 'release_slot' || effect === 'close_accounts') }).toEqual({
      stage,
      event,
      frees: true,
    });
});

test('an end is written in one stage only, and booked once it is durable', () => {
  expect(new Set(entries.filter(({ step }) => step.effects.includes('write_end')).map(({ step }) => step.to))).toEqual(new Set(['ending']));
  expect(new Set(entries.filter(({ step }) => step.effects.includes('book_end')).map(({ stage }) => stage))).toEqual(new Set(['writing']));
});

test('a resend whose end is found at the gate does not fire and writes no end: its row gets the end that is found', () => {
  const found = callLife.gated.recorded_elsewhere;
  expect(found).toMatchObject({ to: 'gone', ask: null });
  expect(found?.effects).toEqual(expect.arrayContaining(['fold_end', 'acknowledge', 'remove', 'close_accounts', 'readmit_joiners']));
  expect(found?.effects).not.toContain('write_end');
});

test('an event that comes too late changes nothing; an impossible event throws', () => {
  expect(afterEvent('gone', 'claim_won')).toBeUndefined();
  expect(afterEvent('queued', 'leader_answered')).toBeUndefined();
  expect(() => afterEvent('queued', 'claim_won')).toThrow('a call that is queued cannot meet claim_won');
});

test('a closing process waits only for calls that progress by themselves', () => {
  expect(callStages.filter((stage) => !isBusy(stage))).toEqual([
    'new',
    'queued',
    'parked',
    'settling',
    'joined',
    'awaiting_remote',
    'in_doubt',
    'detached',
    'gone',
  ]);
});

test('a cancel aborts a running call, removes a waiting one, and stops any other before it fires', () => {
  expect(callStages.filter((stage) => standingOf(stage) === 'running')).toEqual(['running', 'resending']);
  expect(callLife.running.cancelled?.effects).toEqual(['abort_run']);
  expect(callLife.queued.cancelled?.effects).toEqual(['withdraw']);
  expect(callLife.starting.cancelled).toMatchObject({ to: 'starting', effects: [], ask: null });
});
