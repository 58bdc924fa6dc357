import { callError, type EventMap } from '@countersign/contracts';
import { type CallState, evolve, type PlacedEvent } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { placed, sampleCall, sampleEnd, sampleMeta, sampleOutcome, sampleRuling } from '../testing/samples.js';
import { envelopeText, isKeyReuse } from './envelope.js';

const fold = (...events: PlacedEvent[]): CallState => events.reduce<CallState | undefined>(evolve, undefined) as CallState;
const requested = (call = sampleCall()) => placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested');
const ruled = (more = {}) => placed('policy_decided', sampleRuling(more), 'policy-decided');
const ended = (more = {}) => placed('tool_executed', sampleEnd(more), 'tool-executed');
const unchecked = { because: null, effect_now: null, superseded_by: null };
const envelope = (state: CallState) => JSON.parse(envelopeText(state));

const FIELDS =
  `call_id idempotency_key name version tenant_id case_id run_id status input output error decision approval t_start t_end duration_ms
  attempts retry_count cached deduplicated truncated attachments warnings validation exceptions provenance citations mutations verified trace_id cost`.split(
    /\s+/,
  );

describe('the envelope', () => {
  test('has every field of the contract in every status', () => {
    for (const state of [fold(requested()), fold(requested(), ruled()), fold(requested(), ruled(), ended())])
      expect(Object.keys(envelope(state))).toEqual(expect.arrayContaining(FIELDS));
  });

  test('carries input and output as the texts on the record', () => {
    const text = envelopeText(fold(requested(), ruled(), ended()));
    expect(text).toContain('"input":{"path":"a","text":"é \\"quoted\\""},"output":{"bytes":3}}');
    expect(JSON.parse(text)).toMatchObject({
      status: 'succeeded',
      duration_ms: 40,
      t_start: '1970-01-01T00:00:02.000Z',
      effect: 'happened',
    });
  });

  test('tool, inputs and times have the names used in requests and the names used in the source documents', () => {
    const state = fold(requested(sampleCall({ inputs_json: '{"amount":1.0,"at":12345678901234567890}' })), ruled(), ended());
    expect(envelopeText(state)).toContain(
      '"inputs":{"amount":1.0,"at":12345678901234567890},"input":{"amount":1.0,"at":12345678901234567890}',
    );
    const { tool, name, started_at, t_start, ended_at, t_end, requested_at } = envelope(state);
    expect([tool, started_at, ended_at]).toEqual([name, t_start, t_end]);
    expect(requested_at).toMatch(/^1970-/);
  });

  test('denied by rule, denied by a person, expired and cancelled have one shape: an error with its code', () => {
    const source = { topic: 'approval-voted', offset: 1 };
    const by = { kind: 'user' as const, id: 'ann', roles: ['approver'] };
    const asks = ruled({ effect: 'require_approval', approval_id: 'app-1' });
    const common = { meta: sampleMeta({ hlc: 30 }), revision: 1, source, call: sampleCall() };
    const ends: [PlacedEvent[], string, string][] = [
      [[ruled({ effect: 'deny', reason: callError('POLICY_DENIED', 'tier_3_blocked') })], 'denied', 'POLICY_DENIED'],
      [
        [asks, placed('approval_denied', { ...common, approval_id: 'app-1', reason: 'too dear', by }, 'approval-granted')],
        'denied',
        'POLICY_DENIED',
      ],
      [[asks, placed('approval_expired', { ...common, approval_id: 'app-1', expired_at_ms: 5 }, 'approval-granted')], 'expired', 'TIMEOUT'],
      [
        [asks, placed('call_cancelled', { ...common, reason: null, by, final: true, only_before_fire: false }, 'approval-granted')],
        'cancelled',
        'CANCELLED',
      ],
    ];
    for (const [events, status, code] of ends) {
      const seen = envelope(fold(requested(), ...events));
      expect(seen).toMatchObject({ status, error: { code, message: expect.any(String), retryable: expect.any(Boolean), details: null } });
      expect(seen.t_end).not.toBeNull();
    }
  });

  test('a call that was granted and then denied ended when it was denied', () => {
    const { execute_before_ms, decision_id, source, call, joined_call_id } = sampleRuling();
    const nothing = { similar: null, also: null, history_json: null, asked: null, parts: [], joined_call_id };
    const granting = { approval_id: 'app-1', decision_id, revision: 1, ruling_digest: '', votes: [] };
    const tier = 'tier_2_approval_required' as const;
    const granted = { meta: sampleMeta({ hlc: 30 }), ...granting, tier, execute_before_ms, source, call, ...nothing };
    const denied = sampleRuling({ revision: 2, effect: 'deny', reason: callError('POLICY_DENIED', 'closed meanwhile') });
    const state = fold(
      requested(),
      ruled({ effect: 'require_approval', approval_id: 'app-1' }),
      placed('approval_granted', granted, 'approval-granted', 0, 4_000),
      placed('policy_decided', denied, 'policy-decided', 1, 9_000),
    );
    expect(envelope(state)).toMatchObject({ status: 'denied', t_end: '1970-01-01T00:00:09.000Z' });
  });

  test('a waiting call names its approval', () => {
    expect(envelope(fold(requested(), ruled({ effect: 'require_approval', approval_id: 'app-1' })))).toMatchObject({
      status: 'pending_approval',
      approval: { approval_id: 'app-1', status: 'pending' },
      t_end: null,
    });
  });

  test('a deduplicated answer without case and run says how to ask for a repeat', () => {
    const { revision: _r, decision_id: _d, epoch: _e, ...rest } = sampleEnd();
    const again = placed('tool_retry_deduplicated', { ...rest, ...unchecked, original_call_id: '2-x' }, 'tool-executed');
    const seen = envelope(fold(requested(), ruled(), again));
    expect(seen).toMatchObject({ status: 'succeeded', deduplicated: true, original_call_id: '2-x', output: { bytes: 3 } });
    expect(seen.warnings[0]).toContain('occurrence');
  });

  test('an answer by an earlier call shows why, the current state of its effect and how to request a repeat, in a case too', () => {
    const { revision: _r, decision_id: _d, epoch: _e, ...rest } = sampleEnd();
    const call = sampleCall({ case_id: 'c1' });
    const by = (more: Partial<EventMap['tool_retry_deduplicated']>) =>
      envelope(
        fold(
          requested(call),
          ruled(),
          placed('tool_retry_deduplicated', { ...rest, ...unchecked, original_call_id: '2-x', ...more }, 'tool-executed'),
        ),
      );
    const stood = by({ because: 'effect_stands', effect_now: 'stands' });
    expect(stood).toMatchObject({ deduplicated_because: 'effect_stands', effect_now: 'stands', superseded_by: null });
    expect(stood.warnings).toEqual([expect.stringMatching(/still in place; .*`occurrence`/)]);
    const over = by({ because: 'same_request', effect_now: 'superseded', superseded_by: '2-y' });
    expect(over).toMatchObject({ deduplicated_because: 'same_request', effect_now: 'superseded', superseded_by: '2-y' });
    expect(over.warnings[0]).toContain('is no longer in place');
    // A record from before these fields existed.
    expect(by({})).toMatchObject({
      deduplicated: true,
      deduplicated_because: null,
      effect_now: null,
      warnings: [expect.stringContaining('occurrence')],
    });
  });

  test('a caller with its own key is advised to send another key, because `occurrence` does not change it', () => {
    const { revision: _r, decision_id: _d, epoch: _e, ...rest } = sampleEnd();
    const again = placed('tool_retry_deduplicated', { ...rest, ...unchecked, original_call_id: '2-x' }, 'tool-executed');
    const seen = envelope(fold(requested(sampleCall({ key_source: 'header' })), ruled(), again));
    expect(seen.warnings).toEqual([expect.stringContaining('send another Idempotency-Key')]);
  });

  test('a call that joined a pending one shows the approval that it waits for, and the call that requested it', () => {
    const joined = ruled({ effect: 'require_approval', approval_id: 'app-of-x', joined_call_id: '2-x' });
    const seen = envelope(fold(requested(), joined));
    expect(seen).toMatchObject({
      status: 'pending_approval',
      approval: { approval_id: 'app-of-x', status: 'pending', link: '/v1/approvals/app-of-x' },
      deduplicated: true,
      deduplicated_because: 'live_key',
      original_call_id: '2-x',
      warnings: [expect.stringContaining('occurrence')],
    });
  });

  test('a repeat of a request returns its end, says so, and shows the current state of its effect', () => {
    const state = fold(requested(), ruled(), ended());
    const seen = JSON.parse(envelopeText(state, { repeat: true, effect: { effect_now: 'superseded', superseded_by: '2-y' } }));
    expect(seen).toMatchObject({ deduplicated: true, deduplicated_because: 'same_request', original_call_id: state.call_id });
    expect(seen).toMatchObject({
      effect_now: 'superseded',
      superseded_by: '2-y',
      warnings: [expect.stringContaining('is no longer in place')],
    });
    expect(envelope(state)).toMatchObject({ deduplicated: false, original_call_id: null, effect_now: null });
  });

  test('the details of an error are JSON, and a validation error shows its issues', () => {
    const issues = [{ path: '/path', code: 'x', message: 'y' }];
    const error = callError('VALIDATION_ERROR', 'wrong', { details: { layer: 'output', issues } });
    const seen = envelope(fold(requested(), ruled(), ended({ outcome: sampleOutcome({ status: 'failed', output_json: null, error }) })));
    expect(seen).toMatchObject({ output: null, error: { details: { layer: 'output', issues } }, validation: { layer: 'output', issues } });
  });

  test('a result has the provenance that its tool reports, else its tool and the time of its answer', () => {
    const plain = envelope(fold(requested(), ruled(), ended({ outcome: sampleOutcome() })));
    expect(plain.provenance).toEqual({ source: expect.stringMatching(/@/), freshness: plain.t_end, confidence: null });
    expect(plain).toMatchObject({ cached: false, verified: null, cost: null, validation: null });
    const validation = { layer: 'sanity', issues: [{ path: '', message: 'odd' }] };
    const extras = {
      cached: true,
      verified: true,
      validation_json: JSON.stringify(validation),
      provenance: { source: 'erp:lookup@1.0.0', as_of_ms: 0, confidence: 0.9 },
      cost: 0.02,
      credentials: null,
      mapping_version: 3,
      late: false,
    };
    expect(envelope(fold(requested(), ruled(), ended({ outcome: sampleOutcome({ extras }) })))).toMatchObject({
      cached: true,
      verified: true,
      cost: 0.02,
      mapping_version: 3,
      validation,
      provenance: { source: 'erp:lookup@1.0.0', freshness: '1970-01-01T00:00:00.000Z', confidence: 0.9 },
    });
  });

  test('a reused header key with other inputs has its own refusal', () => {
    const reason = callError('VALIDATION_ERROR', 'key reused', { details: { reason: 'idempotency_key_reused' } });
    const call = sampleCall({ key_source: 'header' });
    expect(isKeyReuse(fold(requested(call), ruled({ effect: 'deny', reason, call })))).toBe(true);
    expect(isKeyReuse(fold(requested(), ruled({ effect: 'deny', reason })))).toBe(false);
    expect(isKeyReuse(fold(requested(call), ruled({ effect: 'deny', reason: callError('POLICY_DENIED', 'no'), call })))).toBe(false);
  });
});
