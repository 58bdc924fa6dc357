import { type CallState, evolve, type PlacedEvent, packCall } from '@countersign/domain';
import type { CaseHistoryRow, CaseHistoryType } from '@countersign/store';
import { describe, expect, test } from '@jest/globals';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '../testing/samples.js';
import { historyFace } from './case-history-face.js';

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
  test('before the call: its inputs and what the agent said', () => {
    expect(historyFace(row('tool_call_pending'), { clearances: [] })).toMatchObject({
      type: 'tool_call_pending',
      tool: 'write_note',
      inputs: { path: 'a' },
      rationale: 'why',
      skill: 's',
      step: 't',
      rule: 'r',
    });
  });

  test('after the call: its result, time and retries', () => {
    expect(historyFace(row('tool_call_complete'), { clearances: [] })).toMatchObject({
      result: { bytes: 3 },
      duration_ms: 40,
      retry_count: 0,
    });
  });

  test('a ruling shows the revision it was, not what replaced it', () => {
    expect(historyFace(row('policy_decided', { revision: 0, effect: 'defer' }), { clearances: [] })).toMatchObject({
      decision: { revision: 0, effect: 'defer', tier: 'tier_1_auto' },
    });
  });

  test('an event of the case itself has no call', () => {
    expect(historyFace({ ...row('case_opened'), call_id: null, state: null }, { clearances: [] })).toEqual({
      case_id: 'c1',
      type: 'case_opened',
      at: '1970-01-01T00:00:00.000Z',
      event_id: 'e1',
      call_id: null,
    });
  });
});
