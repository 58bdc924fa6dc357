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

const planned = {
  ...{ step_id: 'one', level: 0, tool: 'move_file', version: '1.0.0', contract_digest: 'c', inputs: {}, open_inputs: [], only_if: [] },
  ...{ asks: false, is_irreversible: false, undo: null, asks_because: null },
};

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
    const { body } = await people.anna.request<{ call: { inputs: SagaPlan } }>('GET', `/v1/approvals/${approval_id}`);
    expect(
      body.call.inputs.steps.map(({ step_id, tool, inputs, undo, covered_by, asks_because }) => [
        step_id,
        tool,
        inputs,
        undo,
        covered_by,
        asks_because,
      ]),
    ).toEqual([
      ['one', 'move_file', { source: 'a1.txt', destination: 'a2.txt' }, 'move_file', ['moves'], null],
      ['two', 'move_file', { source: 'a2.txt', destination: 'a3.txt' }, 'move_file', ['moves'], null],
    ]);
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

describe('a step that was not shown as it runs asks by itself', () => {
  test('an input from an earlier step, unless the rule leaves it open', async () => {
    const root = (name: string) =>
      sequence(
        move('one', `${name}1.txt`, `${name}2.txt`),
        step('two', 'move_file', { source: from('/steps/one/output/destination'), destination: from('/inputs/to') }),
      );
    platform.write('o1.txt', 'o');
    await platform.start('open', saga(root('o')), { to: 'o3.txt' });
    await people.approve('open', PLAN);
    await people.approve('open', 'two');
    expect((await platform.ended('open')).at(-1)).toBe('completed');

    await people.rules(asking('moves', 'move_file', { saga_max_ms: HOUR_MS, saga_open_inputs: ['source'] }));
    platform.write('l1.txt', 'l');
    await platform.start('left-open', saga(root('l')), { to: 'l3.txt' });
    await people.approve('left-open', PLAN);
    expect((await platform.ended('left-open')).filter((line) => line.startsWith('wait'))).toEqual([
      `wait ${PLAN}`,
      `wait ${PLAN} answered`,
    ]);
    expect(platform.read('l3.txt')).toBe('l');
  });

  test('a step that the definition marks as asking, and the items of a list that is not known yet', async () => {
    platform.write('i1.txt', 'x');
    platform.write('list.txt', 'x');
    const body = step('each', 'move_file', { source: { literal: 'm2.txt' }, destination: { expression: '"m3.txt"' } });
    const map = {
      kind: 'map',
      name: 'all',
      over: { expression: '[steps.look.output.content]' },
      concurrency: 1,
      join: { kind: 'all' },
      body,
    } as const;
    platform.write('m1.txt', 'm');
    const root = sequence(read('look', 'list.txt'), move('one', 'm1.txt', 'm2.txt'), map, move('last', 'm3.txt', 'm4.txt', { asks: true }));
    await platform.start('marked', saga(root));
    await people.approve('marked', PLAN);
    await people.approve('marked', 'each[0]');
    await people.approve('marked', 'last');
    expect((await platform.ended('marked')).at(-1)).toBe('completed');
  });

  test('the items of a list in the inputs are shown, and covered', async () => {
    const body = step('each', 'move_file', { source: from('/item/a'), destination: from('/item/b') });
    const map = { kind: 'map', name: 'all', over: from('/inputs/files'), concurrency: 2, join: { kind: 'all' }, body } as const;
    for (const name of ['q1.txt', 'q2.txt']) platform.write(name, name);
    await platform.start('items', saga(map), {
      files: [
        { a: 'q1.txt', b: 'q3.txt' },
        { a: 'q2.txt', b: 'q4.txt' },
      ],
    });
    await people.approve('items', PLAN);
    expect((await platform.ended('items')).filter((line) => line.startsWith('wait each'))).toEqual([]);
    expect(platform.read('q4.txt')).toBe('q2.txt');
  });
});

describe('an approval holds only', () => {
  test('until the rules become stricter', async () => {
    await approvedBefore('stricter');
    await people.rules(asking('moves', 'move_file', { saga_max_ms: HOUR_MS, quorum: 2 }));
    await goOn('stricter');
    const { body } = await people.anna.request<{ quorum: number }>('GET', `/v1/approvals/${await people.asked('stricter', 'one')}`);
    expect(body.quorum).toBe(2);
    await platform.control('stricter', 'cancel');
    expect((await platform.ended('stricter')).at(-1)).toBe('aborted');
  });

  test('while the rule still allows it, and another rule does not ask too', async () => {
    await approvedBefore('withdrawn');
    await people.rules(asking('moves', 'move_file', {}));
    await goOn('withdrawn');
    await people.approve('withdrawn', 'one');
    expect((await platform.ended('withdrawn')).at(-1)).toBe('completed');

    await people.rules(covering);
    await approvedBefore('another');
    await people.rules(covering, asking('new', 'move_file', {}));
    await goOn('another');
    const { body } = await people.anna.request<{ parts: { rule: string }[] }>(
      'GET',
      `/v1/approvals/${await people.asked('another', 'one')}`,
    );
    expect(body.parts.map(({ rule }) => rule)).toEqual(['new']);
    await platform.control('another', 'cancel');
    await platform.ended('another');
  });

  test('for its time', async () => {
    await people.rules(asking('moves', 'move_file', { saga_max_ms: 1_000 }));
    await approvedBefore('expires');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await goOn('expires');
    await people.approve('expires', 'one');
    expect((await platform.ended('expires')).at(-1)).toBe('completed');
  });

  test('until it is revoked', async () => {
    const approval_id = await approvedBefore('revoked');
    const late = await people.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'revoke' });
    expect(late.status).toBe(409);
    const { body } = await people.anna.request<{ items: object[] }>('GET', '/v1/grants?limit=100');
    expect(body.items).toContainEqual(
      expect.objectContaining({ grant_id: `${approval_id}.saga`, scope: 'saga', saga_id: 'revoked', steps: ['one'], status: 'active' }),
    );
    expect((await people.anna.request('DELETE', `/v1/grants/${approval_id}.saga`)).status).toBe(204);
    await goOn('revoked');
    await people.approve('revoked', 'one');
    expect((await platform.ended('revoked')).at(-1)).toBe('completed');
  });

  test('also after a restart that loses the database', async () => {
    await approvedBefore('restarted');
    await platform.restart({ lose_database: true });
    await goOn('restarted');
    expect((await platform.ended('restarted')).filter((line) => line === 'wait one')).toEqual([]);
    expect(platform.read('restarted-2.txt')).toBe('restarted');
  });
});

describe('an edit', () => {
  test('of a plan is refused', async () => {
    platform.write('e1.txt', 'e');
    await platform.start('edited-plan', saga(move('one', 'e1.txt', 'e2.txt')));
    const approval_id = await people.asked('edited-plan', PLAN);
    const { body } = await people.anna.request<{ call: { inputs: SagaPlan } }>('GET', `/v1/approvals/${approval_id}`);
    const inputs = structuredClone(body.call.inputs);
    (inputs.steps[0] as SagaPlan['steps'][number]).inputs.destination = 'elsewhere.txt';
    const edit = await people.anna.request<{ detail: string }>('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'edit', inputs });
    expect([edit.status, edit.body.detail]).toEqual([expect.any(Number), expect.stringContaining('start a new saga')]);
    expect(edit.status).toBeGreaterThanOrEqual(400);
    await platform.control('edited-plan', 'cancel');
    await platform.ended('edited-plan');
  });

  test('of a step feeds later steps and its compensation', async () => {
    await people.rules(asking('moves', 'move_file', {}));
    platform.write('f1.txt', 'f');
    const note = step('note', 'write_file', { path: from('/inputs/note'), content: from('/steps/one/output/destination') });
    await platform.start('edited', saga(sequence(move('one', 'f1.txt', 'f2.txt'), go, read('fails', 'missing.txt'), note)), {
      note: 'n.txt',
    });
    const edit = (saga_id: string, inputs: object) =>
      people.asked(saga_id, 'one').then((id) => people.anna.request('POST', `/v1/approvals/${id}/votes`, { vote: 'edit', inputs }));
    expect((await edit('edited', { source: 'f1.txt', destination: 'f-edited.txt' })).status).toBeLessThan(300);
    await platform.until(
      'edited',
      ({ event_type, event }) => event_type === 'saga_wait_opened' && 'step_id' in event && event.step_id === 'go',
    );
    expect([platform.read('f2.txt'), platform.read('f-edited.txt')]).toEqual([undefined, 'f']);
    await goOn('edited');
    expect((await platform.ended('edited')).at(-1)).toBe('compensated');
    expect([platform.read('f1.txt'), platform.read('f-edited.txt')]).toEqual(['f', undefined]);

    await platform.start('edited-fed', saga(sequence(move('one', 'f1.txt', 'f2.txt'), note)), { note: 'fed.txt' });
    expect((await edit('edited-fed', { source: 'f1.txt', destination: 'f-fed.txt' })).status).toBeLessThan(300);
    expect((await platform.ended('edited-fed')).at(-1)).toBe('completed');
    expect(platform.read('fed.txt')).toContain('f-fed.txt');
  });
});

describe('nobody can make an approval up', () => {
  test('an agent that calls the tool of the plan by itself is denied', async () => {
    const inputs = {
      definition: 'spec',
      version: '1.0.0',
      definition_digest: 'd',
      markings: [],
      steps: [{ ...planned, covered_by: ['moves'] }],
      unplanned: [],
    };
    const { body } = await people.agent.call({ tool: 'show_saga_plan', inputs });
    expect([body.status, body.decision?.rule]).toEqual(['denied', 'saga.plan_outside_saga']);
  });

  test('a definition that calls the tool of the plan as a step of its own is denied it', async () => {
    const inputs = {
      definition: 'spec',
      version: '1.0.0',
      definition_digest: 'd',
      markings: [],
      steps: [{ ...planned, covered_by: ['moves'] }],
      unplanned: [],
    };
    const own = step('own', 'show_saga_plan', Object.fromEntries(Object.entries(inputs).map(([name, literal]) => [name, { literal }])));
    await platform.start('own-plan', saga(own));
    expect(await platform.ended('own-plan')).toEqual(['started', 'own?', 'own denied', 'aborted']);
  });

  test('a call that claims to be a step of an approved saga is refused', async () => {
    await approvedBefore('claimed');
    const claim = { saga_id: 'claimed', step_id: 'one', level: 0, attempt: 1, definition_digest: 'd' };
    const inputs = { source: 'claimed-1.txt', destination: 'claimed-2.txt' };
    const forged = await people.agent.request('POST', '/v1/calls', { tool: 'move_file', inputs, saga: claim });
    expect(forged.status).toBe(400);
    const { body } = await people.agent.call({ tool: 'move_file', inputs }, { prefer: 'wait=0' });
    expect(body.decision?.effect).toBe('require_approval');
    await platform.control('claimed', 'cancel');
    await platform.ended('claimed');
  });

  test('another saga with the same definition and inputs asks again', async () => {
    await approvedBefore('first');
    await platform.start('first-again', saga(sequence(go, move('one', 'first-1.txt', 'first-2.txt'))));
    await people.asked('first-again', PLAN);
    await platform.control('first-again', 'cancel');
    await goOn('first');
    expect((await platform.ended('first')).at(-1)).toBe('completed');
    expect(await platform.ended('first-again')).not.toContain('one?');
  });
});
