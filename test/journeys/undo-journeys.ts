import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api, CallBody, Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';

interface Preview {
  items: {
    call_id: string;
    undoable: boolean;
    reason: string | null;
    how: string | null;
    happened_at: string | null;
    undo_until: string | null;
    changed_since: { call_id: string; principal: { id: string } | null; selected: boolean }[];
    approval: { required: boolean; rule: string; approver_roles: string[] } | null;
  }[];
  blocked_by: string[];
  preview_digest: string;
}

interface Undone {
  items: {
    call_id: string;
    undo_call_id: string | null;
    status: string | null;
    undone: boolean;
    confirmed: boolean | null;
    reason: string | null;
  }[];
  reason?: string;
  later_effects?: { call_id: string }[];
}

const OLGA = ['-c', 'user.name=Olga Owner', '-c', 'user.email=olga@example.org', '-c', 'init.defaultBranch=main'];
const git = (dir: string, ...args: string[]): string => execFileSync('git', [...OLGA, ...args], { cwd: dir, encoding: 'utf8' }).trim();

/** Undoing the effects of calls: of one call, a case or a selection, as a preview showed it. */
export function describeUndoJourneys(at: JourneyWorld): void {
  describe('undo', () => {
    let olga: Api;
    beforeAll(async () => {
      olga = await at.admin.keyFor('user', 'olga', ['operator']);
    });

    const file = (name: string) => path.join(at.platform.workspace, name);
    const preview = async (call_id: string) => (await olga.request<Preview>('GET', `/v1/calls/${call_id}/undo`)).body;
    const undo = (call_id: string, preview_digest: string, by = olga): Promise<Answer<Undone>> =>
      by.request<Undone>('POST', `/v1/calls/${call_id}/undo`, { preview_digest, reason: 'a mistake' });
    const undoSeen = async (call_id: string) => undo(call_id, (await preview(call_id)).preview_digest);
    const read = async (call_id: string) =>
      (await at.agent.request<Envelope & { compensated_by: string }>('GET', `/v1/calls/${call_id}`)).body;

    /** Repeats a call while its effect is being undone, as the refusal says. */
    async function accepted(body: CallBody): Promise<Envelope> {
      for (;;) {
        const answer = await at.agent.call(body);
        const refused = answer.body as unknown as { retryable?: boolean; retry_after_s?: number };
        if (answer.status !== 409 || refused.retryable !== true) return answer.body;
        await sleep((refused.retry_after_s ?? 1) * 1000);
      }
    }

    async function deleted(name: string): Promise<Envelope> {
      const submitted = await accepted({ tool: 'delete_file', inputs: { path: name } });
      await at.anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
      return at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded');
    }

    test('a preview says until when the tool keeps what it needs', async () => {
      writeFileSync(file('until.txt'), 'u');
      const { body: moved } = await at.agent.call({ tool: 'move_file', inputs: { source: 'until.txt', destination: 'until-moved.txt' } });
      const [item] = (await preview(moved.call_id)).items;
      const kept_ms = Date.parse(item?.undo_until ?? '') - Date.parse(item?.happened_at ?? '');
      expect(kept_ms / 86_400_000).toBe(90);
    });

    test('a deleted file is restored, the call shows it, and the same call deletes it again', async () => {
      writeFileSync(file('kept.txt'), 'keep me');
      const call = await deleted('kept.txt');
      expect(existsSync(file('kept.txt'))).toBe(false);
      const seen = await preview(call.call_id);
      expect(seen).toMatchObject({
        blocked_by: [],
        items: [
          {
            call_id: call.call_id,
            undoable: true,
            reason: null,
            how: expect.stringMatching(/^delete_file can restore/),
            approval: { required: false, rule: 'compensation.own' },
          },
        ],
      });
      const { status, body } = await undo(call.call_id, seen.preview_digest);
      expect([status, body]).toMatchObject([200, { items: [{ call_id: call.call_id, undone: true, status: 'succeeded' }] }]);
      expect(readFileSync(file('kept.txt'), 'utf8')).toBe('keep me');
      const undone = await at.agent.callUntil(call.call_id, (now) => now.status === 'compensated');
      expect(undone).toMatchObject({ status: 'compensated', compensated_by: body.items[0]?.undo_call_id });
      expect((await undoSeen(call.call_id)).body).toMatchObject({ reason: 'call_already_undone' });
      const again = await deleted('kept.txt');
      expect([again.attempts, again.deduplicated, existsSync(file('kept.txt'))]).toEqual([2, false, false]);
    });

    test('two concurrent requests are one undo', async () => {
      writeFileSync(file('twice.txt'), 'once');
      const call = await deleted('twice.txt');
      const { preview_digest } = await preview(call.call_id);
      const other = await at.admin.keyFor('user', 'otto', ['operator']);
      const answers = await Promise.all([
        undo(call.call_id, preview_digest),
        undo(call.call_id, preview_digest),
        undo(call.call_id, preview_digest, other),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers[0]?.body.items[0]?.undo_call_id).toBe(answers[1]?.body.items[0]?.undo_call_id);
      expect(readFileSync(file('twice.txt'), 'utf8')).toBe('once');
    });

    test('a later effect on the same file blocks the undo until it is undone too; a changed world needs another preview', async () => {
      writeFileSync(file('chain.txt'), 'x');
      const [first, second] = [
        (await at.agent.call({ tool: 'move_file', inputs: { source: 'chain.txt', destination: 'chain-2.txt' } })).body,
        (await at.agent.call({ tool: 'move_file', inputs: { source: 'chain-2.txt', destination: 'chain-3.txt' } })).body,
      ];
      const old = await preview(first.call_id);
      expect(old.blocked_by).toEqual([second.call_id]);
      expect(old.items[0]?.changed_since).toMatchObject([{ call_id: second.call_id, principal: { id: 'agent-1' }, selected: false }]);
      expect(await undo(first.call_id, old.preview_digest)).toMatchObject({
        status: 409,
        body: { reason: 'later_effects', later_effects: [{ call_id: second.call_id }] },
      });
      const call_ids = [first.call_id, second.call_id];
      const both = (await olga.request<Preview>('POST', '/v1/calls:undo', { call_ids, preview: true })).body;
      expect(both.items.map(({ call_id }) => call_id)).toEqual([second.call_id, first.call_id]);
      const third = (await at.agent.call({ tool: 'move_file', inputs: { source: 'chain-3.txt', destination: 'chain-4.txt' } })).body;
      expect(await olga.request('POST', '/v1/calls:undo', { call_ids, preview_digest: both.preview_digest })).toMatchObject({
        status: 409,
        body: { reason: 'undo_preview_changed' },
      });
      expect((await undoSeen(third.call_id)).status).toBe(200);
      const { preview_digest } = (await olga.request<Preview>('POST', '/v1/calls:undo', { call_ids, preview: true })).body;
      const undone = await olga.request<Undone>('POST', '/v1/calls:undo', { call_ids, preview_digest });
      expect(undone.body.items.map(({ call_id, undone: done }) => [call_id, done])).toEqual([
        [second.call_id, true],
        [first.call_id, true],
      ]);
      expect(readdirSync(at.platform.workspace).filter((name) => name.startsWith('chain'))).toEqual(['chain.txt']);
    });

    test('a case is undone newest first: the merge, the commit and the branch, and what cannot be undone stays', async () => {
      const repo = file('undone-app');
      mkdirSync(repo);
      git(repo, 'init', '--quiet');
      writeFileSync(path.join(repo, 'price.txt'), '10\n');
      git(repo, 'add', '.');
      git(repo, 'commit', '--quiet', '-m', 'First');
      const { case_id } = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'A price' })).body;
      const call = async (tool: string, inputs: Record<string, unknown>): Promise<Envelope> =>
        (await at.agent.call({ tool, inputs: tool.startsWith('git') ? { repo: 'undone-app', ...inputs } : inputs, case_id })).body;
      const [work, side] = [`agent/${case_id}/work`, `agent/${case_id}/side`];
      const done = [
        await call('git_branch', { action: 'create', branch: work }),
        await call('git_branch', { action: 'create', branch: side }),
        await call('git_checkout', { branch: side }),
        await call('write_file', { path: 'undone-app/side.txt', content: 'side\n', mode: 'create' }),
        await call('git_commit', { branch: side, message: 'Side' }),
        await call('git_merge', { branch: work, revision: side }),
        await call('stage_action', {
          kind: 'transfer_money',
          target_system: 'bank',
          target_ref: 'account/77',
          payload: { summary: 'Refund', amount: '5.00', currency: 'EUR' },
        }),
      ];
      expect(done.map(({ status }) => status)).toEqual(done.map(() => 'succeeded'));
      const seen = (await olga.request<Preview>('GET', `/v1/cases/${case_id}/undo`)).body;
      expect(seen.items.filter(({ undoable }) => !undoable)).toMatchObject([{ call_id: done[3]?.call_id, reason: 'irreversible' }]);
      const { status, body } = await olga.request<Undone>('POST', `/v1/cases/${case_id}/undo`, { preview_digest: seen.preview_digest });
      expect([status, body.items.filter(({ undone }) => !undone).map(({ call_id, reason }) => [call_id, reason])]).toEqual([
        202,
        [[done[3]?.call_id, 'irreversible']],
      ]);
      expect(git(repo, 'branch', '--list', 'agent/*')).toBe('');
      expect(git(repo, 'symbolic-ref', '--short', 'HEAD')).toBe('main');
      expect(readFileSync(path.join(repo, 'side.txt'), 'utf8')).toBe('side\n');
      const staged = (done[6]?.output as { action_id: string }).action_id;
      const submitted = await at.agent.call({
        tool: 'request_approval',
        inputs: { subject: { kind: 'action', id: staged }, queue: 'payments', rationale: 'x' },
      });
      expect(submitted.body).toMatchObject({ status: 'failed', error: { class: 'not_found' } });
    });

    test('what cannot be undone is refused with its reason, and only an operator of the tenant can undo', async () => {
      const written = (await at.agent.call({ tool: 'write_file', inputs: { path: 'plain.txt', content: 'x' } })).body;
      const readOnly = (await at.agent.call({ tool: 'read_file', inputs: { path: 'plain.txt' } })).body;
      const digest = '0'.repeat(64);
      expect(await undo(written.call_id, digest)).toMatchObject({ status: 422, body: { reason: 'irreversible' } });
      expect(await undo(readOnly.call_id, digest)).toMatchObject({ status: 409, body: { reason: 'call_had_no_effect' } });
      expect((await undo(written.call_id, digest, at.agent)).status).toBe(403);
      const forged = { tool: 'move_file', inputs: { source: 'a', destination: 'b' }, compensates: { call_id: written.call_id } };
      expect((await at.agent.request('POST', '/v1/calls', forged)).status).toBe(400);
      const unknown = written.call_id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect(await undo(unknown, digest)).toMatchObject({ status: 404, body: { reason: 'call_not_found' } });
    });

    test('a rule about compensations forbids them or requires approval; meanwhile an equal call must retry later', async () => {
      writeFileSync(file('ruled.txt'), 'x');
      const move = { tool: 'move_file', inputs: { source: 'ruled.txt', destination: 'ruled-2.txt' } };
      const { body: call } = await at.agent.call(move);
      const publish = async (rules: object[]) => {
        const { body } = await at.admin.request<{ version: string }>('POST', '/v1/policies', { rules });
        expect((await at.admin.request('PUT', '/v1/policies/active', { version: body.version })).status).toBe(200);
      };
      const rule = { id: 'no-undo', tools: { names: ['move_file'] }, compensations: true };
      await publish([{ ...rule, effect: 'deny', description: 'moves are not undone' }]);
      expect((await preview(call.call_id)).items).toMatchObject([{ undoable: false, reason: 'undo_denied' }]);
      await publish([{ ...rule, effect: 'require_approval' }]);
      const seen = await preview(call.call_id);
      expect(seen.items).toMatchObject([{ undoable: true, approval: { required: true, rule: 'no-undo' } }]);
      const waiting = await undo(call.call_id, seen.preview_digest);
      expect(waiting).toMatchObject({
        status: 202,
        body: { items: [{ undone: false, status: 'pending_approval', reason: 'waits_for_approval' }] },
      });
      expect(await at.agent.call(move)).toMatchObject({ status: 409, body: { retryable: true, reason: 'being_undone' } });
      const undo_call_id = waiting.body.items[0]?.undo_call_id as string;
      const pending = await read(undo_call_id);
      const edit = { vote: 'edit', inputs: { source: 'other.txt', destination: 'other-2.txt' } };
      expect(await at.anna.request('POST', `/v1/approvals/${pending.approval?.approval_id}/votes`, edit)).toMatchObject({
        status: 409,
        body: { reason: 'undo_not_editable' },
      });
      await at.anna.request('POST', `/v1/approvals/${pending.approval?.approval_id}/votes`, { vote: 'approve' });
      await at.agent.callUntil(call.call_id, ({ status }) => status === 'compensated');
      expect(existsSync(file('ruled.txt'))).toBe(true);
      expect(await accepted(move)).toMatchObject({ status: 'succeeded', attempts: 2 });
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: null })).status).toBe(200);
    });
  });
}
