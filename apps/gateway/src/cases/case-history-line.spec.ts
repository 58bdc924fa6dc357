import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { type CallState, evolve, type PlacedEvent, packCall } from '@countersign/domain';
import type { CaseHistoryRow, CaseHistoryType } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import { historyLine } from './case-history-line.js';

const call = sampleCall({ case_id: 'c1', context: { ...sampleCall().context, rationale: 'why', skill: 's', step: 't', rule: 'r' } });
const events: PlacedEvent[] = [
  placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested'),
  placed('policy_decided', sampleRuling({ call }), 'policy-decided'),
  placed('tool_executed', sampleEnd(), 'tool-executed'),
];
const state = events.reduce<CallState | undefined>(evolve, undefined) as CallState;
const row = (type: CaseHistoryType, detail: unknown = null): CaseHistoryRow => ({
  tenant_id: 'acme',
  case_id: 'c1',
  hlc: 1,
  event_id: 'e1',
  seq: 0,
  type,
  at_ms: 0,
  call_id: CALL_ID,
  detail_json: detail === null ? null : JSON.stringify(detail),
  state: packCall(state),
});

describe("a line of a case's history", () => {
  test('before the call: its inputs and the context from the agent', () => {
    expect(historyLine(row('tool_call_pending'), { clearances: [] })).toMatchObject({
      type: 'tool_call_pending',
      tool: 'write_note',
      inputs: { path: 'a' },
      rationale: 'why',
      skill: 's',
      step: 't',
      rule: 'r',
    });
  });

  test('an edit by an approver keeps the requested inputs in their line', () => {
    const line = { ...row('tool_call_pending'), state: packCall({ ...state, asked_inputs_json: '{"path":"asked"}' }) };
    expect(historyLine(line, { clearances: [] }).inputs).toEqual({ path: 'asked' });
  });

  test('an answer by an earlier call shows that call, the reason and the state of its effect', () => {
    const { revision: _r, decision_id: _d, epoch: _e, ...rest } = sampleEnd();
    const how = { original_call_id: '2-x', because: 'effect_stands' as const, effect_now: 'stands' as const, superseded_by: null };
    const answered = [...events.slice(0, 2), placed('tool_retry_deduplicated', { ...rest, ...how }, 'tool-executed')];
    const again = answered.reduce<CallState | undefined>(evolve, undefined) as CallState;
    const line = { ...row('tool_retry_deduplicated'), state: packCall(again) };
    expect(historyLine(line, { clearances: [] })).toMatchObject({
      result: { bytes: 3 },
      deduplicated_because: 'effect_stands',
      original_call_id: '2-x',
      effect_now: 'stands',
      superseded_by: null,
    });
  });

  test('after the call: its result, time and retries', () => {
    expect(historyLine(row('tool_call_complete'), { clearances: [] })).toMatchObject({
      result: { bytes: 3 },
      duration_ms: 40,
      retry_count: 0,
    });
  });

  test('a decision shows its own revision, not a later one', () => {
    const detail = { revision: 0, effect: 'defer', tier: 'tier_0_safe' };
    const decisionOf = (revision: number) => historyLine(row('policy_decided', { ...detail, revision }), { clearances: [] }).decision;
    expect(decisionOf(0)).toEqual(detail);
    expect(decisionOf(1)).toMatchObject({ revision: 1, effect: 'defer', approval_mode_effective: 'local_write' });
  });

  test('an approval is shown as requested and as it ended, regardless of later requests', () => {
    const again = {
      approval: {
        approval_id: 'a.2',
        revision: 2,
        requested_at_ms: 50,
        expires_at_ms: 99,
        quorum: 3,
        approver_roles: ['admin'],
        hlc: 9,
        event_id: 'e9',
      },
    };
    const lineJson = (type: CaseHistoryType, detail: unknown) =>
      historyLine({ ...row(type, detail), state: packCall({ ...state, ...again }) }, { clearances: [] });
    const requested = { approval_id: 'a.1', revision: 1, expires_at_ms: 7, quorum: 1, approver_roles: ['approver'] };
    expect(lineJson('tool_call_pending_approval', requested).approval).toEqual({
      approval_id: 'a.1',
      link: '/v1/approvals/a.1',
      status: 'pending',
      requested_at: '1970-01-01T00:00:00.000Z',
      expires_at: '1970-01-01T00:00:00.007Z',
      quorum: 1,
      approver_roles: ['approver'],
      decided_by: null,
      decided_at: null,
      reason: null,
    });
    const ended = { kind: 'denied', revision: 1, reason: 'too dear', by: 'anna' };
    expect(lineJson('approval_denied', ended)).toMatchObject({
      by: 'anna',
      approval: { status: 'denied', decided_by: 'anna', decided_at: '1970-01-01T00:00:00.000Z', reason: 'too dear' },
    });
  });

  test('a vote is shown as it was cast, and why it did not count once policy has refused it', () => {
    const detail = { vote_id: 'v1', approval_id: 'a.1', vote: 'delegate', by: 'anna', to: 'ben', reason: 'on holiday' };
    const votes = (refused_votes: CallState['refused_votes']) =>
      historyLine(
        { ...row('approval_voted', detail), state: packCall({ ...state, ...(refused_votes ? { refused_votes } : {}) }) },
        { clearances: [] },
      );
    expect(votes(undefined)).toMatchObject({
      ...{
        type: 'approval_voted',
        tool: 'write_note',
        vote: 'delegate',
        by: 'anna',
        to: 'ben',
        reason: 'on holiday',
        refused_because: null,
      },
      approval: { approval_id: 'a.1', link: '/v1/approvals/a.1' },
    });
    expect(votes([{ vote_id: 'v1', code: 'late', reason: 'too late' }])).toMatchObject({ refused_because: 'too late' });
    expect(votes([{ vote_id: 'v2', code: 'late', reason: 'too late' }])).toMatchObject({ refused_because: null });
  });

  test('a denial is one line, with its error', () => {
    const ruling = { ...(state.ruling as NonNullable<CallState['ruling']>), effect: 'deny' as const, rule: 'no-notes', reason: null };
    const denied = packCall({ ...state, end: null, ruling });
    const decided = historyLine(
      { ...row('policy_decided', { revision: ruling.revision, effect: 'deny' }), state: denied },
      { clearances: [] },
    );
    expect(decided).toMatchObject({ decision: { effect: 'deny' }, error: { code: 'POLICY_DENIED', message: 'denied by rule no-notes' } });
    const approval_end = {
      kind: 'denied' as const,
      revision: 9,
      reason: 'too dear',
      by: 'anna',
      at_ms: 1,
      hlc: 9,
      event_id: 'e',
      offset: 1,
    };
    const line = historyLine(
      { ...row('approval_denied', approval_end), state: packCall({ ...state, end: null, approval_end }) },
      { clearances: [] },
    );
    expect(line).toMatchObject({ by: 'anna', reason: 'too dear', error: { code: 'POLICY_DENIED', message: 'denied by anna: too dear' } });
    expect(historyLine(row('policy_decided', { revision: 1, effect: 'allow' }), { clearances: [] })).not.toHaveProperty('error');
  });

  test('an unknown outcome is still shown after the call was resolved', () => {
    const { end } = state as { end: NonNullable<CallState['end']> };
    const error = {
      code: 'IN_DOUBT',
      class: 'server',
      message: 'no answer',
      details_json: null,
      retryable: false,
      retry_after_s: null,
    } as const;
    const doubt = {
      ...end,
      kind: 'in_doubt',
      outcome: { ...end.outcome, status: 'in_doubt', error, duration_ms: 82, retry_count: 2 },
    } as const;
    const expected = { error: { code: 'IN_DOUBT' }, duration_ms: 82, retry_count: 2 };
    for (const now of [null, { ...end, kind: 'resolved' } as const]) {
      const line = { ...row('tool_call_in_doubt'), state: packCall({ ...state, doubt, end: now }) };
      expect(historyLine(line, { clearances: [] })).toMatchObject(expected);
    }
  });

  test('an event of the case itself has no call', () => {
    expect(historyLine({ ...row('case_opened'), call_id: null, state: null }, { clearances: [] })).toEqual({
      case_id: 'c1',
      type: 'case_opened',
      occurred_at: '1970-01-01T00:00:00.000Z',
      at: '1970-01-01T00:00:00.000Z',
      event_id: 'e1',
      call_id: null,
    });
  });
});
