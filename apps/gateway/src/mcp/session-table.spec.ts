import { describe, expect, test } from 'vitest';
import { SessionTable } from './session-table.js';

function table(limits: Partial<{ all_max: number; tenant_max: number; idle_ms: number }> = {}) {
  const ended: string[] = [];
  return { ended, sessions: new SessionTable<string>({ all_max: 10, tenant_max: 2, idle_ms: 100, ...limits }, (one) => ended.push(one)) };
}

const acme = (owner: string) => ({ tenant_id: 'acme', owner });

describe('the sessions of a gateway', () => {
  test('belong to one owner of one tenant', () => {
    const { sessions } = table();
    sessions.add('1', acme('ann'), 's1', 0);
    expect(sessions.find('1', 'acme', 'ann', 1)).toBe('s1');
    expect(sessions.find('1', 'acme', 'bob', 1)).toBeUndefined();
    expect(sessions.find('1', 'globex', 'ann', 1)).toBeUndefined();
  });

  test('make room within their tenant, first among those of the same owner', () => {
    const { sessions, ended } = table();
    sessions.add('1', acme('ann'), 's1', 0);
    sessions.add('2', acme('bob'), 's2', 1);
    sessions.add('3', acme('bob'), 's3', 2);
    expect(ended).toEqual(['s2']);
    sessions.add('4', acme('eve'), 's4', 3);
    expect(ended).toEqual(['s2', 's1']);
  });

  test('of one tenant never push out those of another', () => {
    const { sessions, ended } = table({ all_max: 2 });
    sessions.add('1', acme('ann'), 's1', 0);
    sessions.add('2', acme('ann'), 's2', 0);
    expect([sessions.isFull('globex'), sessions.isFull('acme')]).toEqual([true, false]);
    sessions.add('3', acme('ann'), 's3', 0);
    expect([ended, sessions.size]).toEqual([['s1'], 2]);
  });

  test('expire when they were not used', () => {
    const { sessions, ended } = table();
    sessions.add('1', acme('ann'), 's1', 0);
    sessions.add('2', acme('ann'), 's2', 50);
    sessions.find('1', 'acme', 'ann', 90);
    sessions.expire(150);
    expect(ended).toEqual(['s2']);
    sessions.expire(190);
    expect([ended, sessions.size]).toEqual([['s2', 's1'], 0]);
  });

  test('that ended by themselves are not ended again', () => {
    const { sessions, ended } = table();
    sessions.add('1', acme('ann'), 's1', 0);
    sessions.forget('1');
    sessions.forget('1');
    sessions.clear();
    expect([ended, sessions.isFull('acme')]).toEqual([[], false]);
  });
});
