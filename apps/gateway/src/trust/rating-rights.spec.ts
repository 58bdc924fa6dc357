import type { Caller } from '@countersign/calls';
import type { ConfigurationState } from '@countersign/domain';
import { expect, test } from 'vitest';
import { ownTool, raterOf } from './rating-rights.js';

interface Key {
  id: string;
  kind?: 'agent' | 'user';
  owner?: string;
  roles?: string[];
  tenant_id?: string;
}

function knowing(...keys: Key[]): ConfigurationState {
  const found = keys.map(({ id, kind = 'agent', owner = null, roles = [], tenant_id = 'acme' }, n) => [
    `k${n}`,
    { tenant_id, owner, principal: { kind, id, roles } },
  ]);
  return { keys_by_id: new Map(found as never) } as unknown as ConfigurationState;
}

const caller = (id: string, { kind = 'agent', roles = ['agent'], behalf = null as string | null } = {}): Caller =>
  ({
    tenant_id: 'acme',
    principal: { kind, id, roles },
    authority: { on_behalf_of: behalf === null ? null : { kind: 'user', id: behalf, roles: [] } },
  }) as unknown as Caller;

test('a hundred agents of one owner have one rating', () => {
  const agents = Array.from({ length: 100 }, (_, n) => ({ id: `bot-${n}`, owner: 'eve' }));
  const config = knowing(...agents);
  expect(new Set(agents.map(({ id }) => raterOf(config, caller(id))))).toEqual(new Set(['user:eve']));
  expect(raterOf(config, caller('eve', { kind: 'user' }))).toBe('user:eve');
});

test('an agent that acts for a user rates for the user, and otherwise for itself', () => {
  const config = knowing({ id: 'bot', owner: 'eve' }, { id: 'free' }, { id: 'free', owner: 'mallory', tenant_id: 'other' });
  expect(raterOf(config, caller('bot', { behalf: 'anna' }))).toBe('user:anna');
  expect(raterOf(config, caller('free'))).toBe('agent:free');
});

test('a provider, and its agents, rate none of its own tools', () => {
  const config = knowing({ id: 'bot', owner: 'vendor' });
  expect(ownTool(config, caller('vendor', { kind: 'user' }), 'vendor')).toContain('your own');
  expect(ownTool(config, caller('bot'), 'vendor')).toContain('your own');
  expect(ownTool(config, caller('any', { behalf: 'vendor' }), 'vendor')).toContain('your own');
  expect(ownTool(config, caller('any'), 'vendor')).toBeUndefined();
});

test('an author, and agents of an author, rate no tool of the installation, but tools of others', () => {
  const config = knowing({ id: 'ada', kind: 'user', roles: ['tool_author'] }, { id: 'bot', owner: 'ada' });
  const ada = caller('ada', { kind: 'user', roles: ['tool_author'] });
  expect(ownTool(config, ada, 'local')).toContain('authors');
  expect(ownTool(config, caller('bot'), 'local')).toContain('authors');
  expect(ownTool(config, ada, 'vendor')).toBeUndefined();
  expect(ownTool(config, caller('other'), 'local')).toBeUndefined();
});
