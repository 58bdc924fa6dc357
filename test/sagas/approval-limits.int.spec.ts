import type { SagaPlan } from '@countersign/domain';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Approvers, asking, go, HOUR_MS } from './approvers.js';
import { from, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

const PLAN = '$approval';
const covering = asking('moves', 'move_file', { saga_max_ms: HOUR_MS });

const planned = {
  ...{ step_id: 'one', level: 0, tool: 'move_file', version: '1.0.0', contract_digest: 'c', inputs: {}, open_inputs: [], only_if: [] },
  ...{ asks: false, is_irreversible: false, undo: null, asks_because: null },
};

const NO_RIGHTS = {
  ...{ agent_token_ref: 'spec', scopes: null, clearances: [], purposes: null, on_behalf_of: null, delegated_user_token_ref: null },
  ...{ delegation_id: null, sources: [], markings: [] },
};

let platform: SagaPlatform;
let people: Approvers;
beforeAll(async () => {
  platform = await SagaPlatform.open();
  people = await Approvers.of(platform);
}, 60_000);
afterAll(() => platform.close());
beforeEach(() => people.rules(covering));

describe('an approval holds only', () => {
  test('until the rules become stricter', async () => {
    await people.approvedBefore('stricter');
    await people.rules(asking('moves', 'move_file', { saga_max_ms: HOUR_MS, quorum: 2 }));
    await people.goOn('stricter');
    const { body } = await people.anna.request<{ quorum: number }>('GET', `/v1/approvals/${await people.asked('stricter', 'one')}`);
    expect(body.quorum).toBe(2);
    await platform.control('stricter', 'cancel');
    expect((await platform.ended('stricter')).at(-1)).toBe('aborted');
  });

  test('while the rule still allows it, and another rule does not ask too', async () => {
    await people.approvedBefore('withdrawn');
    await people.rules(asking('moves', 'move_file', {}));
    await people.goOn('withdrawn');
    await people.approve('withdrawn', 'one');
    expect((await platform.ended('withdrawn')).at(-1)).toBe('completed');

    await people.rules(covering);
    await people.approvedBefore('another');
    await people.rules(covering, asking('new', 'move_file', {}));
    await people.goOn('another');
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
    await people.approvedBefore('expires');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await people.goOn('expires');
    await people.approve('expires', 'one');
    expect((await platform.ended('expires')).at(-1)).toBe('completed');
  });

  test('until it is revoked', async () => {
    const approval_id = await people.approvedBefore('revoked');
    const late = await people.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'revoke' });
    expect(late.status).toBe(409);
    const { body } = await people.anna.request<{ items: object[] }>('GET', '/v1/grants?limit=100');
    expect(body.items).toContainEqual(
      expect.objectContaining({ grant_id: `${approval_id}.saga`, scope: 'saga', saga_id: 'revoked', steps: ['one'], status: 'active' }),
    );
    expect((await people.anna.request('DELETE', `/v1/grants/${approval_id}.saga`)).status).toBe(204);
    await people.goOn('revoked');
    await people.approve('revoked', 'one');
    expect((await platform.ended('revoked')).at(-1)).toBe('completed');
  });

  test('also after a restart that loses the database', async () => {
    await people.approvedBefore('restarted');
    await platform.restart({ lose_database: true });
    await people.goOn('restarted');
    expect((await platform.ended('restarted')).filter((line) => line === 'wait one')).toEqual([]);
    expect(platform.read('restarted-2.txt')).toBe('restarted');
  });
});

describe('what a plan does not show', () => {
  const marked = { ...asking('probes', 'probe_marked', { saga_max_ms: HOUR_MS }) };

  test('is personal data: the step asks by itself, and its plan is not encrypted', async () => {
    const rule = { tools: ['move_file'], subjects: ['/source'] };
    expect((await platform.admin().request('PUT', '/v1/personal-data/moves', rule)).status).toBe(200);
    await people.rules(covering, asking('writes', 'write_file', { saga_max_ms: HOUR_MS }));
    platform.write('person.txt', 'p');
    const write = step('two', 'write_file', { path: { literal: 'w.txt' }, content: { literal: 'x' } });
    await platform.start('personal', saga(sequence(move('one', 'person.txt', 'p2.txt'), write)));
    const { body } = await people.anna.request<{ call: { inputs: SagaPlan } }>(
      'GET',
      `/v1/approvals/${await people.asked('personal', PLAN)}`,
    );
    const [one, two] = body.call.inputs.steps;
    expect([one?.covered_by, one?.asks_because, two?.covered_by]).toEqual([[], 'its inputs contain personal data', ['writes']]);
    expect(JSON.stringify(body)).not.toContain('person.txt');
    await platform.control('personal', 'cancel');
    await platform.ended('personal');
    await platform.admin().request('DELETE', '/v1/personal-data/moves');
  });

  test('is a tool that the starter is not cleared for; who lacks a clearance does not see the plan', async () => {
    await people.rules(covering, marked);
    platform.write('c1.txt', 'c');
    const root = (name: string) =>
      sequence(move('one', `${name}1.txt`, `${name}2.txt`), step('two', 'probe_marked', { text: { literal: 'hidden' } }));
    await platform.start('uncleared', saga(root('c')));
    const seen = await people.anna.request<{ call: { inputs: SagaPlan } }>('GET', `/v1/approvals/${await people.asked('uncleared', PLAN)}`);
    expect(seen.body.call.inputs.unplanned).toEqual([{ step_id: 'two', why: 'who started the saga is not cleared for pii.medium' }]);
    await platform.control('uncleared', 'cancel');
    await platform.ended('uncleared');

    platform.write('e1.txt', 'e');
    await platform.start('cleared', saga(root('e')), {}, { authority: { ...NO_RIGHTS, clearances: ['pii.medium'] } });
    const hidden = await people.anna.request<{ call: { withheld?: string[] } }>(
      'GET',
      `/v1/approvals/${await people.asked('cleared', PLAN)}`,
    );
    expect([hidden.body.call.withheld, JSON.stringify(hidden.body).includes('hidden')]).toEqual([['pii.medium'], false]);
    await platform.control('cleared', 'cancel');
    await platform.ended('cleared');
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
    await people.goOn('edited');
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
    await people.approvedBefore('claimed');
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
    await people.approvedBefore('first');
    await platform.start('first-again', saga(sequence(go, move('one', 'first-1.txt', 'first-2.txt'))));
    await people.asked('first-again', PLAN);
    await platform.control('first-again', 'cancel');
    await people.goOn('first');
    expect((await platform.ended('first')).at(-1)).toBe('completed');
    expect(await platform.ended('first-again')).not.toContain('one?');
  });
});
