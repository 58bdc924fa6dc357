import type { SagaPlan } from '@countersign/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Approvers, asking, HOUR_MS } from './approvers.js';
import { from, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

const PLAN = '$approval';
const covering = asking('moves', 'move_file', { saga_max_ms: HOUR_MS });
const go = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 60_000, on_timeout: 'fail' } as const;

let platform: SagaPlatform;
let people: Approvers;
beforeAll(async () => {
  platform = await SagaPlatform.open();
  people = await Approvers.of(platform);
}, 60_000);
afterAll(() => platform.close());
beforeEach(() => people.rules(covering));

/** Starts a saga that waits for an event between the approval of its plan and its step. */
async function approvedBefore(name: string): Promise<string> {
  platform.write(`${name}-1.txt`, name);
  await platform.start(name, saga(sequence(go, move('one', `${name}-1.txt`, `${name}-2.txt`))));
  const approval_id = await people.approve(name, PLAN);
  await platform.until(name, ({ event_type, event }) => event_type === 'saga_wait_opened' && 'step_id' in event && event.step_id === 'go');
  return approval_id;
}

const goOn = (name: string) => platform.answer(name, 'go', { by: 'event' });

describe('one approval', () => {
  test('covers every step that was shown: nobody is asked again', async () => {
    platform.write('a1.txt', 'a');
    const second = step('two', 'move_file', { source: from('/inputs/middle'), destination: { expression: 'inputs.stem & "3.txt"' } });
    await platform.start('covered', saga(sequence(move('one', 'a1.txt', 'a2.txt'), second)), { middle: 'a2.txt', stem: 'a' });
    const approval_id = await people.asked('covered', PLAN);
    const shown = await people.anna.request<{ call: { inputs: SagaPlan } }>('GET', `/v1/approvals/${approval_id}`);
    const plan = JSON.parse(JSON.stringify(shown.body)).inputs ?? shown.body;
    expect(JSON.stringify(plan)).toContain('a3.txt');
    await people.approve('covered', PLAN);
    const story = await platform.ended('covered');
    expect(story).toEqual([
      ...['started', `${PLAN}?`, `wait ${PLAN}`, `wait ${PLAN} answered`, `${PLAN} succeeded`],
      ...['one?', 'one succeeded', 'two?', 'two succeeded', 'completed'],
    ]);
    expect(platform.read('a3.txt')).toBe('a');
  });

  test('a denied plan aborts the saga before anything runs', async () => {
    platform.write('d1.txt', 'd');
    await platform.start('denied', saga(move('one', 'd1.txt', 'd2.txt')));
    const approval_id = await people.asked('denied', PLAN);
    await people.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'deny', reason: 'no' });
    expect((await platform.ended('denied')).at(-1)).toBe('aborted');
    expect(platform.read('d1.txt')).toBe('d');
  });

  test('is not asked for where no rule allows it', async () => {
    await people.rules(asking('moves', 'move_file', {}));
    platform.write('n1.txt', 'n');
    await platform.start('not-allowed', saga(move('one', 'n1.txt', 'n2.txt')));
    await people.approve('not-allowed', 'one');
    expect(await platform.ended('not-allowed')).not.toContain(`${PLAN}?`);
  });

  test('is skipped where nothing in the saga would be asked about', async () => {
    await people.rules({ ...covering, when: 'inputs.source == "secret.txt"' });
    platform.write('s1.txt', 's');
    await platform.start('nothing-asks', saga(move('one', 's1.txt', 's2.txt')));
    expect(await platform.ended('nothing-asks')).toEqual(['started', `${PLAN} skipped`, 'one?', 'one succeeded', 'completed']);
  });

  test('needs every rule of its steps: each is a part, and all must be met', async () => {
    const writes = asking('writes', 'write_file', { approver_roles: ['operator'], saga_max_ms: HOUR_MS });
    await people.rules(covering, writes);
    platform.write('p1.txt', 'p');
    const write = step('two', 'write_file', { path: { literal: 'p3.txt' }, content: { literal: 'x' } });
    await platform.start('parts', saga(sequence(move('one', 'p1.txt', 'p2.txt'), write)));
    await people.approve('parts', PLAN);
    await people.approve('parts', PLAN, people.bert);
    expect((await platform.ended('parts')).filter((line) => line.startsWith('wait'))).toEqual([`wait ${PLAN}`, `wait ${PLAN} answered`]);
  });
});
