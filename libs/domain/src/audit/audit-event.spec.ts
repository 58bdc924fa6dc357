import { type AnyEvent, type Meta, sha256Hex, type ToolCall } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import type { PlacedEvent } from '../call/evolve.js';
import { auditColumns, auditEventOf, type CallFacts, saysItsCall } from './audit-event.js';

const meta = (call_id: string | null): Meta => ({
  event_id: 'e1',
  tenant_id: 'acme',
  call_id,
  attempt: 1,
  causation_id: 'e0',
  correlation_id: 't',
  hlc: 7,
  partition: 2,
});
const call = {
  tool: 'pay',
  inputs_digest: 'aa',
  case_id: 'c1',
  run_id: 'r1',
  principal: { kind: 'agent', id: 'bot', roles: [] },
  authority: { on_behalf_of: { kind: 'user', id: 'uma', roles: [] } },
} as unknown as ToolCall;
const anna = { kind: 'user' as const, id: 'anna', roles: [] };
const placed = (event_type: string, event: object): PlacedEvent =>
  ({ ...({ event_type, event } as unknown as AnyEvent), topic: 't', partition: 2, offset: 9, timestamp_ms: 1_000 }) as PlacedEvent;
const facts: CallFacts = { call, decision_id: 'd1', approval_id: 'a1' };

describe('an audit event', () => {
  test('names the caller, the user and the position of a call, using only the record if it contains the call', () => {
    const at = placed('tool_call_requested', { meta: meta('2-x'), call });
    expect(saysItsCall(at)).toBe(true);
    expect(auditEventOf(at, undefined)).toEqual({
      event_id: 'e1',
      type: 'tool_call_requested',
      time: '1970-01-01T00:00:01.000Z',
      tenant_id: 'acme',
      caller: 'agent:bot',
      on_behalf_of: 'user:uma',
      actor: null,
      call_id: '2-x',
      case_id: 'c1',
      run_id: 'r1',
      tool: 'pay',
      args_hash: 'aa',
      result_hash: null,
      decision_id: null,
      approval_id: null,
      causation_id: 'e0',
      correlation_id: 't',
      hlc: 7,
      topic: 't',
      partition: 2,
      offset: 9,
      refused_because: null,
    });
  });

  test('of a vote names the caller of the call and has the voter as its actor', () => {
    const at = placed('approval_voted', { meta: meta('2-x'), approval_id: 'a9', voter: anna });
    expect(saysItsCall(at)).toBe(false);
    expect(auditEventOf(at, facts)).toMatchObject({ caller: 'agent:bot', actor: 'user:anna', approval_id: 'a9', decision_id: 'd1' });
  });

  test('of a configuration change names its author as the caller', () => {
    const at = placed('limit_set', { meta: meta(null), by: anna });
    expect(saysItsCall(at)).toBe(true);
    expect(auditEventOf(at, undefined)).toMatchObject({ caller: 'user:anna', actor: 'user:anna', call_id: null, args_hash: null });
  });

  test('hashes the recorded result, or the error if there is no result', () => {
    const ended = (outcome: object) => auditEventOf(placed('tool_executed', { meta: meta('2-x'), outcome, decision_id: 'd2' }), facts);
    expect(ended({ output_json: '{"a":1}', error: null })).toMatchObject({ result_hash: sha256Hex('{"a":1}'), decision_id: 'd2' });
    expect(ended({ output_json: null, error: { code: 'TIMEOUT', message: 'late' } }).result_hash).toBe(sha256Hex('TIMEOUT late'));
    expect(ended({ output_json: null, error: null }).result_hash).toBeNull();
  });

  test('has exactly the columns that exports name', () => {
    expect(Object.keys(auditEventOf(placed('x', { meta: meta(null) }), undefined))).toEqual([...auditColumns]);
  });
});
