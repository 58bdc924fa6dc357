import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

interface CallSummary {
  effect: string;
  rule: string;
  status: string;
  started_at: string | null;
  approval: { approval_id: string; end: string; ended_at: string | null } | null;
}
interface Comparison {
  call_id: string;
  recorded: CallSummary;
  counterfactual: CallSummary | null;
  differences: string[];
  started_earlier_by_ms: number | null;
  result: { kind: string; call_id: string } | null;
  unknown: { what: string; why: string; call_id: string | null }[];
  assumed_unchanged: string[];
}
interface Counterfactual {
  calls: number;
  unchanged: number;
  unknown: number;
  counts: Record<string, number>;
  limits: { limit_id: string; call_id: string; used: number; max: number; recorded: boolean; counterfactual: boolean }[];
  refused_votes: { code: string }[];
  comparisons: Comparison[];
  next_cursor?: string | null;
}

const WAIT = { prefer: 'wait=20' };
const LATE_MS = 1500;
/** The clocks of the services and of this process differ by less. */
const CLOCKS_MS = 250;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A case with recorded calls, then counterfactual questions about it. */
export function describeCounterfactualJourneys(at: JourneyWorld): void {
  describe('counterfactuals', () => {
    const name = `counter-${process.pid}`;
    let agent: Api;
    let case_id: string;
    let auditor: Api;
    const calls: Record<'small' | 'approved' | 'dependent' | 'limited' | 'refused' | 'repeat' | 'denied', string> = {} as never;
    let approval_id: string;
    /** Just before the vote was sent, by the clock of this process. */
    let voted_at_ms: number;

    const call = async (tool: string, inputs: Record<string, unknown>, more: Record<string, unknown> = {}, wait = true) => {
      const answer = await agent.call({ tool, inputs, case_id, ...more }, wait ? WAIT : { prefer: 'wait=0' });
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    const ask = (changes: object[], by = auditor, of = case_id): Promise<Answer<Counterfactual>> =>
      by.request<Counterfactual>('POST', `/v1/cases/${of}/counterfactual`, { changes });
    const answered = async (changes: object[]): Promise<Counterfactual> => {
      const answer = await ask(changes);
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
      return answer.body;
    };
    const of = ({ comparisons }: Counterfactual, one: keyof typeof calls): Comparison =>
      comparisons.find(({ call_id }) => call_id === calls[one]) as Comparison;

    beforeAll(async () => {
      agent = await at.admin.keyFor('agent', name, ['agent']);
      auditor = await at.admin.keyFor('user', `auditor-${name}`, ['auditor']);
      const opened = await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'what if' });
      case_id = opened.body.case_id;
      const limited = {
        kind: 'cumulative',
        scope: 'agent',
        subjects: [name],
        tools: ['probe_http_effect', 'probe_approval'],
        amount: 'inputs.amount',
        window_ms: 86_400_000,
        max: 100,
      };
      await at.admin.request('PUT', `/v1/limits/${name}`, limited);
      const inputs = order({ amount: 40 });
      calls.small = (await call('probe_http_effect', inputs)).call_id;
      calls.repeat = (await call('probe_http_effect', inputs)).call_id;
      const waits = await call('probe_approval', order({ amount: 50 }));
      calls.approved = waits.call_id;
      approval_id = waits.approval?.approval_id as string;
      calls.limited = (await call('probe_http_effect', order({ amount: 30 }))).call_id;
      calls.dependent = (await call('probe_read', {}, { context: { depends_on: [calls.approved] } }, false)).call_id;
      await pause(LATE_MS);
      voted_at_ms = Date.now();
      expect((await at.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' })).status).toBeLessThan(300);
      await agent.callUntil(calls.dependent, ({ status }) => status === 'succeeded');
      const refused = await call('probe_approval', order({ amount: 1 }));
      calls.refused = refused.call_id;
      await at.anna.request('POST', `/v1/approvals/${refused.approval?.approval_id}/votes`, { vote: 'deny', reason: 'not now' });
      await agent.callUntil(calls.refused, ({ status }) => status === 'denied');
      calls.denied = (
        await agent.call({ tool: 'probe_http_effect', inputs: order(), case_id, context: { safety_mode: 'read_only' } }, WAIT)
      ).body.call_id;
      await agent.callUntil(calls.denied, ({ status }) => status === 'denied');
    });

    test('without changes, every call is decided again with the same result', async () => {
      const { comparisons, ...rest } = await answered([]);
      expect(comparisons.flatMap(({ unknown }) => unknown)).toEqual([]);
      expect(comparisons.flatMap(({ call_id, differences }) => differences.map((one) => `${call_id} ${one}`))).toEqual([]);
      expect(rest).toMatchObject({ calls: 7, unchanged: 7, unknown: 0, counts: {} });
      expect(comparisons.map(({ recorded }) => recorded.status).sort()).toEqual(
        ['denied', 'denied', 'denied', 'succeeded', 'succeeded', 'succeeded', 'succeeded'].sort(),
      );
    });

    test('an approval one second earlier starts its call, and the call that waited for it, that much earlier', async () => {
      const granted = of(await answered([]), 'approved').recorded.approval?.ended_at as string;
      const earlier = new Date(voted_at_ms - 1000).toISOString();
      const answer = await answered([{ kind: 'approval', approval_id, voter: 'anna', at: earlier }]);
      // The delay from the vote to the recorded grant disappears as well.
      const took_ms = Date.parse(granted) - voted_at_ms;
      const approved = of(answer, 'approved');
      expect(approved).toMatchObject({ differences: ['started_earlier'], result: { kind: 'recorded_at_another_time' }, unknown: [] });
      const earlier_by_ms = approved.started_earlier_by_ms as number;
      expect(earlier_by_ms).toBeGreaterThan(1000 - CLOCKS_MS);
      expect(earlier_by_ms).toBeLessThan(1000 + took_ms + CLOCKS_MS);
      const dependent = of(answer, 'dependent');
      expect(dependent.differences).toEqual(['started_earlier']);
      expect(Math.abs((dependent.started_earlier_by_ms as number) - earlier_by_ms)).toBeLessThan(CLOCKS_MS);
      expect(of(answer, 'small')).toMatchObject({ differences: [], unknown: [], assumed_unchanged: [] });
      expect(of(answer, 'refused').assumed_unchanged).toContain(calls.approved);
    });

    test('a denial instead of an approval: the call never starts, its budget is free, and its dependants are denied', async () => {
      const early = of(await answered([]), 'small').recorded.started_at as string;
      const before = of(await answered([]), 'limited').recorded;
      expect(before).toMatchObject({ status: 'denied', rule: `limit.${name}` });
      const answer = await answered([{ kind: 'approval', approval_id, voter: 'anna', vote: 'deny' }]);
      expect(of(answer, 'approved')).toMatchObject({ differences: ['status', 'never_started'], counterfactual: { status: 'denied' } });
      expect(of(answer, 'dependent').counterfactual).toMatchObject({ status: 'denied', rule: 'prerequisite.not_succeeded' });
      expect(early).not.toBeNull();
    });

    test('another maximum allows the refused call: it never ran, so its result is unknown and is not invented', async () => {
      const answer = await answered([{ kind: 'limit', limit_id: name, max: 1000 }]);
      const limited = of(answer, 'limited');
      expect(limited.differences).toEqual(['newly_allowed', 'status', 'newly_started']);
      expect(limited).toMatchObject({ result: null, unknown: [{ what: 'result', why: 'the call never ran' }] });
      expect(answer.limits).toMatchObject([
        { limit_id: name, call_id: calls.limited, used: 90, max: 100, recorded: true, counterfactual: false },
      ]);
      const lower = await answered([{ kind: 'limit', limit_id: name, max: 45 }]);
      expect(of(lower, 'approved')).toMatchObject({ differences: ['newly_denied', 'status', 'never_started'] });
      expect(lower.limits.filter(({ counterfactual, recorded }) => counterfactual && !recorded)).toMatchObject([
        { call_id: calls.approved, used: 40, max: 45 },
      ]);
    });

    test('another policy: what it denies is denied, and the rule is named', async () => {
      const rules = [{ id: 'no-effects', tools: 'probe_http_effect', effect: 'deny', when: `principal.id == "${name}"` }];
      const answer = await answered([{ kind: 'policy', bundle: { rules } }]);
      expect(of(answer, 'small')).toMatchObject({
        differences: ['newly_denied', 'status', 'never_started'],
        counterfactual: { rule: 'no-effects' },
      });
      const free = await answered([{ kind: 'policy', bundle: { rules: [{ id: 'free', tools: 'probe_approval', effect: 'allow' }] } }]);
      expect(of(free, 'approved')).toMatchObject({ differences: ['approval_avoided', 'started_earlier'] });
      expect(of(free, 'refused').differences).toEqual(['approval_avoided', 'status', 'newly_started']);
    });

    test('other rules get a history that was not recorded then: four calls before the one that waited; one that counts a call of unknown outcome is unknown', async () => {
      const expected = (calls_before: number) => ({
        kind: 'policy',
        bundle: { rules: [{ id: 'fifth', tools: 'probe_read', effect: 'deny', when: `history.case.calls == ${calls_before}` }] },
      });
      const answer = await answered([expected(4)]);
      expect(of(answer, 'dependent')).toMatchObject({ differences: ['newly_denied', 'status', 'never_started'] });
      expect(of(answer, 'dependent').counterfactual).toMatchObject({ rule: 'fifth' });
      expect(of(await answered([expected(3)]), 'dependent')).toMatchObject({ differences: [], unknown: [] });
      // Without the first, its repeat runs with an unknown outcome, and the rule counts that call.
      const without = await answered([expected(3), { kind: 'left_out', call_id: calls.small }]);
      expect(of(without, 'dependent').unknown).toMatchObject([{ what: 'ruling', call_id: calls.repeat }]);
      const range = await auditor.request<Counterfactual>('POST', '/v1/counterfactual', { changes: [expected(4)], limit: 500 });
      expect(of(range.body, 'dependent').counterfactual).toMatchObject({ rule: 'fifth' });
    });

    test('a call left out: its repeat runs instead, and its result is unknown: none is taken from the call that is left out', async () => {
      const answer = await answered([{ kind: 'left_out', call_id: calls.small }]);
      expect(of(answer, 'small')).toMatchObject({ differences: ['left_out'], counterfactual: null });
      expect(of(answer, 'repeat')).toMatchObject({ result: null, unknown: [{ what: 'result', call_id: calls.small }] });
    });

    test('another result: the decisions on dependants use it', async () => {
      const error = { code: 'PROVIDER_ERROR', message: 'out of order' };
      const answer = await answered([{ kind: 'result', call_id: calls.approved, error }]);
      expect(of(answer, 'approved')).toMatchObject({ differences: ['status', 'result'], result: { kind: 'replaced' } });
      expect(of(answer, 'dependent').counterfactual).toMatchObject({ status: 'denied', rule: 'prerequisite.not_succeeded' });
      const other = await answered([{ kind: 'result', call_id: calls.approved, output: { effect_id: 'other' } }]);
      expect(of(other, 'dependent').unknown).toMatchObject([{ what: 'result', call_id: calls.approved }]);
    });

    test('a time range gives the same results, one page at a time', async () => {
      const rules = [{ id: 'no-reads', tools: 'probe_read', effect: 'deny', when: `principal.id == "${name}"` }];
      const changes = [{ kind: 'policy', bundle: { rules } }];
      const seen: Comparison[] = [];
      let cursor: string | undefined;
      do {
        const answer = await auditor.request<Counterfactual>('POST', '/v1/counterfactual', {
          changes,
          limit: 4,
          ...(cursor ? { cursor } : {}),
        });
        expect(answer.status).toBe(200);
        seen.push(...answer.body.comparisons);
        cursor = answer.body.next_cursor ?? undefined;
      } while (cursor && seen.length < 40);
      const mine = seen.filter(({ call_id }) => Object.values(calls).includes(call_id));
      expect(mine.filter(({ differences }) => differences.includes('newly_denied')).map(({ call_id }) => call_id)).toEqual([
        calls.dependent,
      ]);
    });

    test('an unknown call is refused with the position of the fault; callers without permission are refused', async () => {
      expect(await ask([], auditor, 'case_none')).toMatchObject({ status: 404 });
      const issue = async (change: object, path: string) =>
        expect(await ask([{ kind: 'left_out', call_id: calls.small }, change])).toMatchObject({
          status: 422,
          body: { validation: { issues: [{ path: `/changes/1/${path}` }] } },
        });
      await issue({ kind: 'left_out', call_id: '0-nothing' }, 'call_id');
      await issue({ kind: 'result', call_id: 'nothing' }, 'call_id');
      await issue({ kind: 'approval', approval_id: 'nothing.1', at: new Date().toISOString() }, 'approval_id');
      await issue({ kind: 'approval', approval_id, voter: 'nobody-there', at: new Date().toISOString() }, 'voter');
      await issue({ kind: 'approval', approval_id }, 'at');
      await issue({ kind: 'limit', limit_id: 'nothing', max: 1 }, 'limit_id');
      await issue({ kind: 'policy', version: 'nothing' }, 'version');
      await issue({ kind: 'fact', table: 'nothing', set: {} }, 'table');
      expect((await ask([{ kind: 'wish' }])).body).toMatchObject({ validation: { issues: [{ path: '/changes/0/kind' }] } });
      expect((await ask([], agent)).status).toBe(403);
    });

    test('a too large, too deep or invalid query is refused at once with the position of its fault, and the next one works', async () => {
      const refused = async (path: string, body: object) => {
        const answer = await auditor.request<Counterfactual>('POST', path, body);
        return { status: answer.status, issue: (answer.body as never as { validation: { issues: object[] } }).validation?.issues[0] };
      };
      const of_case = `/v1/cases/${case_id}/counterfactual`;
      const many = Array.from({ length: 10_000 }, () => ({ kind: 'left_out', call_id: calls.small }));
      expect(await refused(of_case, { changes: many })).toMatchObject({ status: 400, issue: { path: '/changes', code: 'too_big' } });
      let output: unknown = 1;
      for (let level = 0; level < 2000; level++) output = { in: output };
      const result = { kind: 'result', call_id: calls.small, output };
      expect(await refused(of_case, { changes: [result] })).toMatchObject({
        status: 400,
        issue: { path: expect.stringContaining('/changes/0/output/in'), code: 'too_deep' },
      });
      expect(await refused('/v1/counterfactual', { changes: [], from: '2026-02-01T00:00:00Z', to: '2020-01-01T00:00:00Z' })).toMatchObject({
        status: 400,
        issue: { path: '/to' },
      });
      expect(await refused('/v1/counterfactual', { changes: [], from: 'yesterday' })).toMatchObject({
        status: 400,
        issue: { path: '/from' },
      });
      expect(await refused('/v1/counterfactual', { changes: [], cursor: 'x' })).toMatchObject({ status: 400, issue: { path: '/cursor' } });
      const years = { changes: [], from: '1990-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z', limit: 500 };
      const answer = await auditor.request<Counterfactual>('POST', '/v1/counterfactual', years);
      expect({ status: answer.status, unknown: answer.body.unknown }).toEqual({ status: 200, unknown: 0 });
      const empty = { changes: [], from: '1990-01-01T00:00:00Z', to: '1991-01-01T00:00:00Z' };
      expect((await auditor.request<Counterfactual>('POST', '/v1/counterfactual', empty)).body).toMatchObject({
        calls: 0,
        comparisons: [],
      });
    });

    test('a vote that would not have counted is reported', async () => {
      const when = of(await answered([]), 'approved').recorded.approval?.ended_at as string;
      const answer = await answered([{ kind: 'approval', approval_id, at: new Date(Date.parse(when) - 500).toISOString() }]);
      expect(answer.refused_votes).toMatchObject([{ code: 'not_entitled' }]);
      expect(of(answer, 'approved').differences).toEqual([]);
    });
  });
}
