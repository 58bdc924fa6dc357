import type { CompensatedEffect, Outcome } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { evolveCompensated } from './compensation.js';
import type { PlacedEvent } from './evolve.js';
import { type CallState, statusOf } from './state.js';

const effect: CompensatedEffect = { call_id: '0-a', idempotency_key: 'k', attempt: 1, kind: 'own', also: null, late_offset: null };
const succeeded = { call_id: '0-a', tenant_id: 'acme', end: { outcome: { status: 'succeeded' } } } as CallState;

const ended = (status: Outcome['status'], offset: number, more: { verified?: boolean; tenant_id?: string; of?: string } = {}) =>
  ({
    event_type: 'tool_executed',
    topic: 'tool-executed',
    partition: 0,
    offset,
    timestamp_ms: 1000 + offset,
    event: {
      meta: { call_id: `0-u${offset}`, tenant_id: more.tenant_id ?? 'acme', hlc: offset, event_id: `e${offset}` },
      outcome: { status, extras: more.verified === undefined ? null : { verified: more.verified } },
      compensates: { ...effect, call_id: more.of ?? '0-a' },
    },
  }) as unknown as PlacedEvent;

const fold = (...events: PlacedEvent[]) => events.reduce(evolveCompensated, succeeded);

describe('a call whose effect was undone', () => {
  test('is compensated, and names the call that undid it and whether the tool verified that', () => {
    const state = fold(ended('succeeded', 4, { verified: false }));
    expect([statusOf(state), state.compensation]).toMatchObject(['compensated', { call_id: '0-u4', confirmed: false, at_ms: 1004 }]);
  });

  test('stays compensated, whatever is recorded later or again', () => {
    const state = fold(ended('succeeded', 4));
    expect(evolveCompensated(state, ended('failed', 5))).toBe(state);
    expect(evolveCompensated(state, ended('succeeded', 4))).toBe(state);
  });

  test('uses the newest of failed undos, or a later one that succeeds', () => {
    const twice = fold(ended('failed', 4), ended('failed', 6));
    expect([statusOf(twice), twice.compensation?.call_id]).toEqual(['compensation_failed', '0-u6']);
    expect(evolveCompensated(twice, ended('failed', 4))).toBe(twice);
    expect(statusOf(evolveCompensated(twice, ended('succeeded', 7)))).toBe('compensated');
  });

  test.each(['cancelled', 'expired', 'denied', 'in_doubt'] as const)('an undo that ended as %s does not change it', (status) => {
    expect(fold(ended(status, 4))).toBe(succeeded);
  });

  test('is not changed by records about another call or tenant', () => {
    expect(fold(ended('succeeded', 4, { of: '0-b' }), ended('succeeded', 5, { tenant_id: 'rival' }))).toBe(succeeded);
  });
});
