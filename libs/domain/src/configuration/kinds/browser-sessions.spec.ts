import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../durations.js';
import { initialConfiguration } from '../state/configuration.js';
import { endSessions, isSessionEnded, sessionEpoch } from './browser-sessions.js';

const ann = { issuer: 'local', kind: 'user', id: 'ann' };
const NOW_MS = 1_000_000;

function given() {
  const state = initialConfiguration();
  let offset = 0;
  return {
    state,
    ends: (session_id: string | null, { who = ann, tenant_id = 'acme', at_ms = NOW_MS } = {}) => {
      const { issuer, kind, id } = who;
      const principal = { kind: kind as 'user', id, roles: [] };
      const event = { meta: { tenant_id }, principal, issuer, session_id, by: principal, ended_at_ms: at_ms };
      endSessions(state, event as never, { offset: offset++ } as never);
    },
    isEnded: (session_id: string, epoch: number, who = ann, tenant_id = 'acme') =>
      isSessionEnded(state, tenant_id, who, { session_id, epoch }),
    epoch: (who = ann, tenant_id = 'acme') => sessionEpoch(state, tenant_id, who),
  };
}

describe('ended sessions', () => {
  test('signing out ends one session; signing out everywhere ends all that started before, and none that starts after', () => {
    const { ends, isEnded, epoch } = given();
    const before = epoch();
    ends('one');
    expect([isEnded('one', before), isEnded('two', before), epoch()]).toEqual([true, false, before]);
    ends(null);
    expect([isEnded('two', before), isEnded('three', epoch())]).toEqual([true, false]);
    ends(null);
    expect(isEnded('three', before + 2)).toBe(true);
  });

  test('a gateway that has not read the end yet accepts a session of a later epoch', () => {
    const { ends, isEnded, epoch } = given();
    ends(null);
    expect(isEnded('later', epoch() + 100)).toBe(false);
  });

  test('a person of another tenant, issuer or kind with the same id is another person', () => {
    const { ends, isEnded } = given();
    ends(null);
    for (const [who, tenant] of [
      [ann, 'other'],
      [{ ...ann, issuer: 'https://idp.example' }, 'acme'],
      [{ ...ann, kind: 'service' }, 'acme'],
    ] as const)
      expect(isEnded('one', -1, who, tenant)).toBe(false);
    expect(isEnded('one', -1)).toBe(true);
  });

  test('beyond 100 signed-out sessions of a person all of that person end, and no memory grows', () => {
    const { state, ends, isEnded } = given();
    for (let n = 0; n < 100; n++) ends(`s${n}`);
    expect([isEnded('s0', -1), isEnded('other', -1)]).toEqual([true, false]);
    ends('s100');
    expect([isEnded('s0', -1), isEnded('s100', -1), isEnded('other', -1)]).toEqual([true, true, true]);
    const [kept] = [...(state.by_tenant.get('acme')?.ended_sessions?.values() ?? [])];
    expect(kept?.session_ids.size).toBe(0);
  });

  test('a person is forgotten once every session of that time has reached the longest life', () => {
    const { state, ends } = given();
    ends('one');
    const bob = { ...ann, id: 'bob' };
    ends('two', { who: bob, at_ms: NOW_MS + 30 * DAY_MS });
    expect(state.by_tenant.get('acme')?.ended_sessions?.size).toBe(2);
    ends('three', { who: bob, at_ms: NOW_MS + 30 * DAY_MS + 1 });
    expect(state.by_tenant.get('acme')?.ended_sessions?.size).toBe(1);
  });
});
