import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';

interface Undone {
  saga_id: string | null;
  items: { call_id: string; undo_call_id: string | null; status: string | null; undone: boolean; reason: string | null }[];
  reason?: string;
}

interface Saga {
  status: string;
  undoes: number;
  started_by: { id: string };
  reason: string | null;
  steps: { call_id: string; compensation: { status: string; call_id: string } | null }[];
  tickets: { ticket: string; step_id: string; closed_at: string | null }[];
}

const NOT_WAITING = { prefer: 'respond-async' };

/** Undoing several calls: a saga that goes on whatever happens to the request. */
export function describeUndoSelectionJourneys(at: JourneyWorld): void {
  describe('the undo of a selection', () => {
    let olga: Api;
    beforeAll(async () => {
      olga = await at.admin.keyFor('user', 'olga-selects', ['operator']);
    });

    const file = (name: string) => path.join(at.platform.workspace, name);

    async function moved(source: string, destination: string): Promise<string> {
      if (!existsSync(file(source))) writeFileSync(file(source), source);
      const { body } = await at.agent.call({ tool: 'move_file', inputs: { source, destination } });
      expect(body.status).toBe('succeeded');
      return body.call_id;
    }

    async function digestOf(call_ids: readonly string[], by = olga): Promise<string> {
      const { body } = await by.request<{ preview_digest: string }>('POST', '/v1/calls:undo', { call_ids, preview: true });
      return body.preview_digest;
    }

    const undo = (call_ids: readonly string[], preview_digest: string, headers: Record<string, string> = {}): Promise<Answer<Undone>> =>
      olga.request<Undone>('POST', '/v1/calls:undo', { call_ids, preview_digest, reason: 'a mistake' }, headers);

    async function sagaUntil(saga_id: string | null, isWanted: (saga: Saga) => boolean): Promise<Saga> {
      for (let attempt = 0; attempt < 600; attempt++) {
        const { status, body } = await olga.request<Saga>('GET', `/v1/sagas/${saga_id}`);
        if (status === 200 && isWanted(body)) return body;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`saga ${saga_id}: ${JSON.stringify((await olga.request('GET', `/v1/sagas/${saga_id}`)).body)}`);
    }

    const RULE = { id: 'asks', tools: { names: ['move_file'] }, compensations: true, effect: 'require_approval' };
    async function publish(rules: object[]): Promise<void> {
      const { body } = await at.admin.request<{ version: string }>('POST', '/v1/policies', { rules });
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: body.version })).status).toBe(200);
    }

    /** Decides about an undo that waits for approval. */
    async function voted(undo_call_id: string | null | undefined, vote: 'approve' | 'deny'): Promise<void> {
      const { body } = await at.agent.readCall(undo_call_id as string);
      const shown = await at.anna.request('GET', `/v1/approvals/${body.approval?.approval_id}`);
      expect(JSON.stringify(shown.body)).toContain('a mistake');
      await at.anna.request('POST', `/v1/approvals/${body.approval?.approval_id}/votes`, { vote, reason: 'seen' });
    }

    const undosOf = async (call_id: string): Promise<string[]> => {
      const { body } = await at.agent.request<{ items: (Envelope & { compensates: string | null })[] }>(
        'GET',
        '/v1/calls?tool=move_file&limit=200&expand=*',
      );
      return body.items.filter((call) => call.compensates === call_id && call.original_call_id === null).map((call) => call.call_id);
    };

    test('answers 202 with a saga that can be read, if the request does not wait; the saga undoes all calls by itself', async () => {
      const call_ids = [await moved('s1.txt', 's2.txt'), await moved('s2.txt', 's3.txt'), await moved('t1.txt', 't2.txt')];
      const answer = await undo(call_ids, await digestOf(call_ids), NOT_WAITING);
      expect([answer.status, answer.headers.get('location')]).toEqual([202, `/v1/sagas/${answer.body.saga_id}`]);
      const saga = await sagaUntil(answer.body.saga_id, ({ status }) => status === 'compensated');
      expect(saga).toMatchObject({ undoes: 3, started_by: { id: 'olga-selects' }, reason: 'requested' });
      expect(saga.steps.map(({ compensation }) => compensation?.status)).toEqual(['executed', 'executed', 'executed']);
      expect(['s1.txt', 's2.txt', 's3.txt', 't1.txt', 't2.txt'].map((name) => existsSync(file(name)))).toEqual([
        ...[true, false, false],
        ...[true, false],
      ]);
    });

    test('a repeat of the request joins its saga, during it and after it, and so do other people: one undo for each effect', async () => {
      const call_ids = [await moved('j1.txt', 'j2.txt'), await moved('k1.txt', 'k2.txt')];
      const [digest, otto] = [await digestOf(call_ids), await at.admin.keyFor('user', 'otto-selects', ['operator'])];
      const body = { call_ids, preview_digest: digest };
      const [first, again, others] = await Promise.all([
        undo(call_ids, digest),
        undo(call_ids, digest),
        otto.request<Undone>('POST', '/v1/calls:undo', body),
      ]);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.body.saga_id).toBe(first.body.saga_id);
      // Whoever asks later may see a changed world: then the request is refused, and nothing happens twice.
      expect([200, 202, 409]).toContain(others.status);
      expect((await undo(call_ids, digest)).body).toEqual(first.body);
      for (const call_id of call_ids) expect(await undosOf(call_id)).toHaveLength(1);
      expect([existsSync(file('j1.txt')), existsSync(file('k1.txt'))]).toEqual([true, true]);
    });

    test('after an undo that failed the others go on; a person has it tried again', async () => {
      const call_ids = [await moved('f1.txt', 'f2.txt'), await moved('g1.txt', 'g2.txt')];
      const digest = await digestOf(call_ids);
      renameSync(file('g2.txt'), file('g-away.txt'));
      const answer = await undo(call_ids, digest);
      expect([answer.status, answer.body.items.map(({ undone }) => undone)]).toEqual([202, [false, true]]);
      expect(existsSync(file('f1.txt'))).toBe(true);
      const stuck = await sagaUntil(answer.body.saga_id, ({ status }) => status === 'compensation_failed');
      expect(stuck.tickets).toMatchObject([{ ticket: 'compensation_failed', closed_at: null }]);
      renameSync(file('g-away.txt'), file('g2.txt'));
      const step_id = stuck.tickets[0]?.step_id;
      expect((await olga.request('POST', `/v1/sagas/${answer.body.saga_id}/retry`, { step_id })).status).toBe(200);
      await sagaUntil(answer.body.saga_id, ({ status }) => status === 'compensated');
      expect([existsSync(file('g1.txt')), (await undo(call_ids, digest)).status]).toEqual([true, 200]);
    });

    test('what waits for a person holds up only what depends on it, and goes on once it is approved', async () => {
      const older = await moved('w1.txt', 'w2.txt');
      const other = await moved('v1.txt', 'v2.txt');
      const newer = await moved('w2.txt', 'w3.txt');
      await publish([{ ...RULE, when: "inputs.destination == 'w3.txt'" }]);
      const call_ids = [older, other, newer];
      const digest = await digestOf(call_ids);
      let answer = await undo(call_ids, digest);
      // On a slow machine the answer comes before the undo that depends on nothing; a repeat joins.
      while (answer.body.items[1]?.undone === false) answer = await undo(call_ids, digest);
      expect([answer.status, answer.body.items.map(({ call_id, undone, reason }) => [call_id, undone, reason])]).toEqual([
        202,
        [
          [newer, false, 'waits_for_approval'],
          [other, true, null],
          [older, false, 'newer_effect_stands'],
        ],
      ]);
      await voted(answer.body.items[0]?.undo_call_id, 'approve');
      await sagaUntil(answer.body.saga_id, ({ status }) => status === 'compensated');
      expect(existsSync(file('w1.txt'))).toBe(true);
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: null })).status).toBe(200);
    });

    test('an undo that was denied, and whose failure was accepted, can be asked for again with the same preview', async () => {
      await publish([RULE]);
      const call_ids = [await moved('d1.txt', 'd2.txt')];
      const digest = await digestOf(call_ids);
      const denied = await undo(call_ids, digest);
      await voted(denied.body.items[0]?.undo_call_id, 'deny');
      await sagaUntil(denied.body.saga_id, ({ status }) => status === 'compensation_failed');
      const accept = await olga.request('POST', `/v1/sagas/${denied.body.saga_id}/accept`, { reason: 'denied' });
      expect(accept.status).toBe(200);
      const again = await undo(call_ids, digest);
      expect([again.status, again.body.saga_id === denied.body.saga_id]).toEqual([202, false]);
      await voted(again.body.items[0]?.undo_call_id, 'approve');
      await sagaUntil(again.body.saga_id, ({ status }) => status === 'compensated');
      expect(existsSync(file('d1.txt'))).toBe(true);
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: null })).status).toBe(200);
    });

    test('nobody else reads or controls it: not another tenant, and an agent decides about no ticket', async () => {
      const call_ids = [await moved('o1.txt', 'o2.txt')];
      const digest = await digestOf(call_ids);
      await at.admin.request('POST', '/v1/tenants', { tenant_id: 'globex' });
      const foreign = await at.admin.keyFor('user', 'eve', ['operator'], 'globex');
      expect((await foreign.request('POST', '/v1/calls:undo', { call_ids, preview_digest: digest })).status).toBe(404);
      expect((await at.agent.request('POST', '/v1/calls:undo', { call_ids, preview_digest: digest })).status).toBe(403);
      const { body } = await undo(call_ids, digest);
      expect((await foreign.request('GET', `/v1/sagas/${body.saga_id}`)).status).toBe(404);
      const forged = { saga_id: body.saga_id, definition: { steps: [] }, inputs: {}, undoes: [{ call_id: call_ids[0] }] };
      expect((await at.agent.request('POST', '/v1/sagas', forged)).status).toBe(400);
    });
  });
}
