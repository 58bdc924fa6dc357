import { describe, expect, test } from 'vitest';
import { listedTool, UpstreamHistory } from '../testing/upstream-history.js';
import { aliasedTool, cachingBasis, calledName } from './aliases.js';

const TENANT = 'acme';
const READ = { effect_class: 'read_internal', alias: { ttl_ms: 60_000 } } as const;
const read = listedTool('read_file');

function listed(...more: ReturnType<typeof listedTool>[]): UpstreamHistory {
  const history = new UpstreamHistory().set();
  history.lists([read, ...more]);
  return history;
}
const aliased = () => listed().classifies('read_file', READ).announced();
const named = ({ state }: UpstreamHistory, alias = 'mcp_files_read_file', tenant = TENANT) => aliasedTool(state, tenant, alias)?.name;
const basis = ({ state }: UpstreamHistory) => cachingBasis(state, TENANT, 'files', 'files__read_file');

describe('an alias', () => {
  test('is of a tool that an operator gave one, and of no other', () => {
    const history = listed();
    expect(named(history)).toBeUndefined();
    history.classifies('read_file', { effect_class: 'read_internal' });
    expect(named(history)).toBeUndefined();
    history.classifies('read_file', READ, '1.0.1').announced();
    expect(named(history)).toBe('files__read_file');
    expect(history.tool('read_file')?.contract?.upstream?.alias).toEqual({ name: 'mcp_files_read_file', ttl_ms: 60_000 });
    expect(calledName(history.state, TENANT, 'mcp_files_read_file')).toBe('files__read_file');
    expect(calledName(history.state, TENANT, 'write_file')).toBe('write_file');
  });

  test('is of its tenant alone', () => expect(named(aliased(), 'mcp_files_read_file', 'rival')).toBeUndefined());

  test('is never of a write, whatever is recorded', () => {
    const history = listed().classifies('read_file', { ...READ, effect_class: 'commit_low' });
    expect(named(history)).toBeUndefined();
    expect(history.tool('read_file')?.contract?.upstream).not.toHaveProperty('alias');
  });

  test('ends when its upstream moves, and when the operator takes it back', () => {
    const moved = aliased();
    moved.set('https://elsewhere.example/mcp');
    expect(named(moved)).toBeUndefined();
    expect(named(aliased().classifies('read_file', { effect_class: 'read_internal' }, '1.0.1'))).toBeUndefined();
  });

  test('never hides a registered tool of its name', () => {
    const history = aliased();
    history.state.tools.set('mcp_files_read_file', []);
    expect(named(history)).toBeUndefined();
  });

  test('follows the name of its tool, where two tools collide', () => {
    const history = listed(listedTool('read-file')).classifies('read-file', READ);
    const name = history.tool('read-file')?.name ?? '';
    expect(name).toMatch(/^files__read_file_[0-9a-f]{6}$/);
    expect(named(history, `mcp_files_${name.slice('files__'.length)}`)).toBe(name);
    expect(named(history)).toBeUndefined();
  });

  test('has at most 64 characters', () => {
    const tool = 'a'.repeat(56);
    const history = listed(listedTool(tool)).classifies(tool, READ);
    const alias = history.tool(tool)?.contract?.upstream?.alias?.name ?? '';
    expect(alias).toMatch(/^mcp_files_a{47}_[0-9a-f]{6}$/);
    expect(named(history, alias)).toBe(`files__${tool}`);
  });
});

describe('the basis of cached results', () => {
  const by = { kind: 'user', id: 'olga', roles: [] };

  test('changes with a tool policy, a bundle, the upstream, its classification and what it lists', () => {
    const history = aliased();
    const seen = [basis(history)];
    const after = (change: () => unknown) => {
      change();
      seen.push(basis(history));
    };
    const override = { tool: 'files__read_file', tier: null, rule_id: null, approver_roles: [], quorum: 1, expires_after_ms: null };
    after(() => history.fold('configuration-changed', 'tool_policy_set', { ...override, changed_at_ms: 1, by } as never));
    after(() =>
      history.fold('configuration-changed', 'policy_bundle_activated', { version: null, shadow: null, changed_at_ms: 1, by } as never),
    );
    after(() => history.set());
    after(() => history.classifies('read_file', { ...READ, alias: { ttl_ms: 1_000 } }, '1.0.1'));
    after(() => history.lists([{ ...read, description: 'Reads it in another way.' }]));
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('stays when another tenant changes something', () => {
    const history = aliased();
    const before = basis(history);
    history.fold('configuration-changed', 'tenant_set', { lane: 'shared' } as never, 'rival');
    expect(basis(history)).toBe(before);
  });
});
