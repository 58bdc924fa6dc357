import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

interface Saga {
  saga_id: string;
  status: string;
  pivot_step_id: string | null;
  steps: {
    step_id: string;
    level: number;
    status: string | null;
    call: string | null;
    compensation: { status: string; call: string } | null;
  }[];
  waits: { step_id: string; question: string | null; answer_at: string | null }[];
  tickets: { ticket: string; actions: { act: string; href: string; step_id: string | null }[] }[];
  reason?: string;
}

const literals = (inputs: object) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { literal: value }]));
const step = (name: string, tool: string, inputs: object, more: object = {}) => ({
  ...{ kind: 'step', name, use: { tool, version: '^1.0.0', inputs: literals(inputs) } },
  ...more,
});
const wait = (name: string, more: object) => ({ kind: 'wait', name, timeout_ms: 60_000, on_timeout: 'fail', ...more });
const whole = (...blocks: object[]) => ({ name: 'journey', version: '1.0.0', wait_max_ms: 600_000, root: { kind: 'sequence', blocks } });
const fails = (code: string, effect: string) => step('fail', 'probe_fail', order({ code, effect }));

/** Sagas through the API alone: started, read, controlled, answered and repaired. */
export function describeSagaJourneys(at: JourneyWorld): void {
  describe('sagas', () => {
    let olga: Api;
    beforeAll(async () => {
      olga = await at.admin.keyFor('user', 'olga', ['operator']);
    });

    const file = (name: string) => path.join(at.platform.workspace, name);
    const move = (name: string, source: string, destination: string, more: object = {}) =>
      step(name, 'move_file', { source, destination }, more);
    const start = (definition: object, more: object = {}, prefer = 'wait=30') =>
      at.agent.request<Saga>('POST', '/v1/sagas', { definition, ...more }, { prefer });
    const read = async (saga_id: string) => (await at.agent.request<Saga>('GET', `/v1/sagas/${saga_id}`)).body;
    const until = async (saga_id: string, met: (saga: Saga) => boolean): Promise<Saga> => {
      for (const end = performance.now() + 30_000; ; ) {
        const saga = await read(saga_id);
        if (met(saga)) return saga;
        if (performance.now() > end) throw new Error(JSON.stringify(saga));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };

    test('the short form runs its steps in order; each call says which step of which saga it is', async () => {
      writeFileSync(file('saga-a.txt'), 'of a');
      const steps = [
        { id: 'look', tool: 'read_file', inputs: { path: 'saga-a.txt' } },
        { id: 'copy', tool: 'write_file', inputs: { path: 'saga-b.txt', content: { from: '/steps/look/output/content' } } },
      ];
      const made = await start({ name: 'copy', version: '1.0.0', steps });
      expect([made.status, made.body.status]).toEqual([201, 'completed']);
      expect(readFileSync(file('saga-b.txt'), 'utf8')).toBe('of a');
      const { saga_id } = made.body;
      const saga = await read(saga_id);
      expect(saga.steps.map(({ step_id, level, status }) => [step_id, level, status])).toEqual([
        ['look', 0, 'succeeded'],
        ['copy', 0, 'succeeded'],
      ]);
      const call = await at.agent.request<Envelope & { saga: unknown; tool_fallback_level: number }>('GET', saga.steps[1]?.call as string);
      expect(call.body.saga).toEqual({ saga_id, step_id: 'copy', level: 0, attempt: 1 });
      const calls = await at.agent.request<{ items: Envelope[] }>('GET', `/v1/calls?saga_id=${saga_id}`);
      expect(calls.body.items.map(({ name }) => name ?? '').length).toBe(2);
    });

    test('a step that fails undoes those before it, and the saga shows the calls that did', async () => {
      writeFileSync(file('saga-c.txt'), 'c');
      const made = await start(whole(move('take', 'saga-c.txt', 'saga-d.txt'), fails('VALIDATION_ERROR', 'none')));
      expect([made.status, made.body.status]).toEqual([201, 'compensated']);
      expect([existsSync(file('saga-c.txt')), existsSync(file('saga-d.txt'))]).toEqual([true, false]);
      const saga = await read(made.body.saga_id);
      expect(saga.steps.map(({ step_id, status, compensation }) => [step_id, status, compensation?.status])).toEqual([
        ['take', 'succeeded', 'executed'],
        ['fail', 'failed', undefined],
      ]);
      const undo = await at.agent.request<{ compensates: string }>('GET', saga.steps[0]?.compensation?.call as string);
      expect(`/v1/calls/${undo.body.compensates}`).toBe(saga.steps[0]?.call);
    });

    test('an approval waits for another person, and its refusal undoes the saga', async () => {
      writeFileSync(file('saga-e.txt'), 'e');
      const ask = wait('ask', { wait: 'approval', subject: 'Keep it?' });
      const made = await start(whole(move('take', 'saga-e.txt', 'saga-f.txt'), ask), {}, 'wait=0');
      expect(made.status).toBe(202);
      const { saga_id } = made.body;
      const saga = await until(saga_id, ({ status }) => status === 'awaiting_approval');
      expect(saga.waits.map(({ question }) => question)).toEqual(['Keep it?']);
      const answer_at = saga.waits[0]?.answer_at as string;
      expect((await at.agent.request('POST', answer_at, { outcome: 'answered' })).status).toBe(403);
      expect((await at.anna.request('POST', answer_at, { outcome: 'refused', reason: 'no' })).status).toBe(200);
      expect((await until(saga_id, ({ status }) => status === 'compensated')).status).toBe('compensated');
      expect(existsSync(file('saga-e.txt'))).toBe(true);
    });

    test('a person does the last level of a step; the answer is the output that a later step reads', async () => {
      const look = step('look', 'read_file', { path: 'never-there.txt' }, { manual: 'Read it out' });
      const inputs = { path: { literal: 'saga-g.txt' }, content: { expression: 'steps.look.output.content' } };
      const note = { kind: 'step', name: 'note', use: { tool: 'write_file', version: '^1.0.0', inputs } };
      const made = await start(whole(look, note), {}, 'wait=0');
      expect(made.status).toBe(202);
      const { saga_id } = made.body;
      const saga = await until(saga_id, ({ status }) => status === 'awaiting_approval');
      expect(saga.waits).toMatchObject([{ wait: 'manual', question: 'Read it out' }]);
      const body = { outcome: 'answered', answer: { content: 'said by a person' } };
      expect((await at.agent.request('POST', saga.waits[0]?.answer_at as string, body)).status).toBe(403);
      expect((await olga.request('POST', saga.waits[0]?.answer_at as string, body)).status).toBe(200);
      await until(saga_id, ({ status }) => status === 'completed');
      expect(readFileSync(file('saga-g.txt'), 'utf8')).toBe('said by a person');
    });

    test('a paused saga starts nothing; its starter resumes and cancels it', async () => {
      const first = wait('first', { wait: 'event', subject: 'go' });
      writeFileSync(file('saga-h.txt'), 'h');
      const { saga_id } = (
        await start(whole(first, move('take', 'saga-h.txt', 'saga-i.txt'), wait('last', { wait: 'event', subject: 'end' })), {}, 'wait=0')
      ).body;
      await until(saga_id, ({ waits }) => waits.length === 1);
      const act = async (what: string) => (await at.agent.request<Saga>('POST', `/v1/sagas/${saga_id}/${what}`)).status;
      expect(await act('pause')).toBe(200);
      expect((await at.agent.request('POST', `/v1/sagas/${saga_id}/waits/first`, { outcome: 'answered' })).status).toBe(200);
      expect([(await read(saga_id)).steps, existsSync(file('saga-h.txt'))]).toEqual([[], true]);
      expect([await act('pause'), await act('resume')]).toEqual([409, 200]);
      await until(saga_id, ({ waits }) => waits.length === 2);
      expect(existsSync(file('saga-i.txt'))).toBe(true);
      expect(await act('cancel')).toBe(200);
      await until(saga_id, ({ status }) => status === 'compensated');
      expect(existsSync(file('saga-h.txt'))).toBe(true);
    });

    test('a compensation that fails opens a ticket, and an operator retries it once the cause is gone', async () => {
      writeFileSync(file('saga-j.txt'), 'j');
      const ask = wait('ask', { wait: 'event', subject: 'go' });
      const { saga_id } = (await start(whole(move('take', 'saga-j.txt', 'saga-k.txt'), ask), {}, 'wait=0')).body;
      await until(saga_id, ({ waits }) => waits.length === 1);
      writeFileSync(file('saga-j.txt'), 'in the way');
      expect((await at.agent.request('POST', `/v1/sagas/${saga_id}/cancel`)).status).toBe(200);
      const stuck = await until(saga_id, ({ status }) => status === 'compensation_failed');
      expect(stuck.tickets.map(({ ticket }) => ticket)).toEqual(['compensation_failed']);
      const listed = await olga.request<{ items: Saga['tickets'] & { saga_id: string }[] }>('GET', `/v1/saga-tickets?saga_id=${saga_id}`);
      expect(listed.body.items).toHaveLength(1);
      const byHand = stuck.tickets[0]?.actions.find(({ act }) => act === 'done_by_hand');
      const body = { step_id: byHand?.step_id, reason: 'put back by Olga' };
      expect((await at.agent.request('POST', byHand?.href as string, body)).status).toBe(403);
      expect((await olga.request('POST', byHand?.href as string, body)).status).toBe(200);
      expect((await until(saga_id, ({ status }) => status === 'compensated')).tickets[0]?.actions).toEqual([]);
    });

    test('a step in doubt that took effect goes on with the output of its resolution', async () => {
      const inputs = { path: { literal: 'saga-p.txt' }, content: { from: '/steps/pay/output/key' } };
      const note = { kind: 'step', name: 'note', use: { tool: 'write_file', version: '^1.0.0', inputs } };
      const pay = step('pay', 'probe_http_blind', order({ lose_answer: true }), { asks: true });
      const { saga_id } = (await start(whole(pay, note), {}, 'wait=0')).body;
      const call = (await until(saga_id, ({ status }) => status === 'awaiting_approval')).steps[0]?.call as string;
      const approval_id = (await olga.request<Envelope>('GET', call)).body.approval?.approval_id;
      expect((await at.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' })).status).toBeLessThan(300);
      const doubtful = await until(saga_id, ({ tickets }) => tickets.length > 0);
      expect(doubtful.tickets.map(({ ticket }) => ticket)).toEqual(['in_doubt']);
      const resolution = { resolution: 'happened', output: { ok: true, seq: 1, key: 'paid', amount: 7 }, reason: 'seen in the ledger' };
      expect((await olga.request('POST', `${call}/resolve`, resolution)).status).toBeLessThan(300);
      await until(saga_id, ({ status }) => status === 'completed');
      expect(readFileSync(file('saga-p.txt'), 'utf8')).toBe('paid');
    });

    test('the same Idempotency-Key is one saga, while it runs and after its end', async () => {
      writeFileSync(file('saga-l.txt'), 'l');
      const definition = whole(move('take', 'saga-l.txt', 'saga-m.txt'));
      const send = () => at.agent.request<Saga>('POST', '/v1/sagas', { definition }, { 'idempotency-key': 'one-move', prefer: 'wait=30' });
      const made = await Promise.all([send(), send(), send()]);
      expect(new Set(made.map(({ body }) => body.saga_id)).size).toBe(1);
      expect(made.map(({ body }) => body.status)).toEqual(['completed', 'completed', 'completed']);
      expect((await send()).status).toBe(200);
      const other = { definition: whole(move('take', 'saga-l.txt', 'saga-n.txt')) };
      expect((await at.agent.request('POST', '/v1/sagas', other, { 'idempotency-key': 'one-move' })).status).toBe(422);
    });

    test('a saga of another tenant is not found, whatever is done with it', async () => {
      const tenant_id = `sagas-${process.pid}`;
      await at.admin.request('POST', '/v1/tenants', { tenant_id });
      const boss = await at.admin.keyFor('user', 'boss', ['admin'], tenant_id);
      const { saga_id } = (await start(whole(wait('go', { wait: 'event', subject: 'go' })), {}, 'wait=0')).body;
      await until(saga_id, ({ waits }) => waits.length === 1);
      const body = { reason: 'mine' };
      for (const what of ['pause', 'resume', 'cancel', 'retry', 'accept', 'done-by-hand'])
        expect([what, (await boss.request('POST', `/v1/sagas/${saga_id}/${what}`, body)).status]).toEqual([what, 404]);
      expect((await boss.request('POST', `/v1/sagas/${saga_id}/waits/go`, { outcome: 'answered' })).status).toBe(404);
      expect((await boss.request('GET', `/v1/sagas/${saga_id}`)).status).toBe(404);
    });
  });
}
