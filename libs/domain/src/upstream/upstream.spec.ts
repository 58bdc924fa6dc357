import { describe, expect, test } from 'vitest';
import { listingOf, upstreamToolsOf } from '../configuration/kinds/upstreams.js';
import { listedTool, UpstreamHistory } from '../testing/upstream-history.js';
import { UPSTREAM_BOUNDS } from './decide-listing.js';

const read = listedTool('read_file');
const write = listedTool('write-file');
const listed = (...tools: Parameters<UpstreamHistory['lists']>[0]) => {
  const history = new UpstreamHistory().set();
  history.lists(tools);
  return history;
};
const reworded = { ...read, description: 'Reads a file, and is worded in another way.' };

describe('a tool of an upstream', () => {
  test('is commit_high with all inputs discriminating until an operator classifies it', () => {
    const history = listed(read, { ...write, annotations: { read_only: true } }).announced();
    expect(history.states()).toEqual({ read_file: 'unclassified', 'write-file': 'unclassified' });
    expect(history.tool('write-file')?.contract).toMatchObject({
      name: 'files__write_file',
      version: '0.1.0',
      effect_class: 'commit_high',
      reversibility: 'irreversible',
      idempotency: { except: [] },
      takes_key: false,
      has_reconcile: false,
      upstream: { server: 'files', tool: 'write-file' },
      endpoint: 'https://files.example/mcp',
      network: ['files.example'],
    });
    expect(history.lifecycles('files__write_file')).toEqual({ '0.1.0': 'active' });
  });

  test('has the declared class from then on, under a new version; the earlier one no longer runs', () => {
    const history = listed(read).announced().classifies('read_file', { effect_class: 'read_internal' }).announced();
    expect(history.states()).toEqual({ read_file: 'active' });
    expect(history.lifecycles('files__read_file')).toEqual({ '1.0.0': 'active', '0.1.0': 'suspended' });
    expect(history.tool('read_file')?.contract?.effect_class).toBe('read_internal');
  });

  test('is shown as pinned; another description or hint is pending, and runs as before', () => {
    const history = listed(read).announced();
    expect(history.lists([reworded])).toBe(true);
    const { state, contract, listed: news } = history.tool('read_file') ?? {};
    expect([state, contract?.description, news?.definition.description]).toEqual([
      'pending_change',
      read.description,
      reworded.description,
    ]);
    expect(history.lifecycles('files__read_file')).toEqual({ '0.1.0': 'active' });
    history.lists([{ ...read, annotations: { destructive: true } }]);
    expect(history.states()).toEqual({ read_file: 'pending_change' });
    history.lists([read]);
    expect(history.states()).toEqual({ read_file: 'unclassified' });
  });

  test('is active with its new words once the operator classifies those', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' }).announced();
    history.lists([reworded]);
    history.classifies('read_file', { effect_class: 'read_internal' }, '1.0.1').announced();
    expect(history.states()).toEqual({ read_file: 'active' });
    expect(history.tool('read_file')?.contract?.description).toBe(reworded.description);
    expect(history.lifecycles('files__read_file')).toEqual({ '1.0.1': 'active', '1.0.0': 'suspended' });
  });

  test('is active as pinned after the operator refused the new words, until its upstream describes it in yet another way', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' }).announced();
    history.lists([reworded]);
    const { pinned, listed: news } = history.tool('read_file') ?? {};
    history.refuses('read_file');
    expect([history.states(), history.tool('read_file')?.version]).toEqual([{ read_file: 'active' }, '1.0.0']);
    expect(history.tool('read_file')).toMatchObject({ pinned: { digest: pinned?.digest }, listed: { digest: news?.digest } });
    history.lists([read]);
    history.lists([reworded]);
    expect(history.states()).toEqual({ read_file: 'active' });
    history.lists([{ ...reworded, annotations: { destructive: true } }]);
    expect(history.states()).toEqual({ read_file: 'pending_change' });
  });

  test('is suspended by a schema that refuses what the pinned one took, whatever the operator refused', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' });
    history.lists([{ ...read, input_schema: { type: 'object', properties: {}, additionalProperties: false } }]);
    history.refuses('read_file');
    expect(history.states()).toEqual({ read_file: 'suspended' });
  });

  test('is suspended by a schema that refuses what the pinned one took, and not by one that takes more', () => {
    const history = listed(read).announced();
    const properties = { path: { type: 'string' }, encoding: { type: 'string' } };
    history.lists([{ ...read, input_schema: { type: 'object', properties, required: ['path'], additionalProperties: false } }]);
    expect(history.states()).toEqual({ read_file: 'pending_change' });
    history.lists([{ ...read, input_schema: { type: 'object', properties, required: ['path', 'encoding'], additionalProperties: false } }]);
    expect(history.states()).toEqual({ read_file: 'suspended' });
    expect(history.tool('read_file')?.differences).not.toEqual([]);
    expect(history.lifecycles('files__read_file')).toEqual({ '0.1.0': 'suspended' });
  });
});

describe('a tool that its upstream no longer lists', () => {
  test('is gone after two complete listings without it that are 60 s apart, and not before', () => {
    const history = listed(read, write).announced();
    expect(history.after(1_000).lists([read])).toBe(true);
    expect(history.states()['write-file']).toBe('unclassified');
    expect(history.after(59_999).lists([read])).toBe(false);
    expect(history.states()['write-file']).toBe('unclassified');
    expect(history.after(1).lists([read])).toBe(true);
    expect(history.states()['write-file']).toBe('gone');
    expect(history.lifecycles('files__write_file')).toEqual({ '0.1.0': 'suspended' });
  });

  test('is not gone by the clock of an executor that is ahead: the times of the log are compared', () => {
    const history = listed(read, write).announced();
    history.after(1_000).lists([read]);
    history.after(1_000).lists([read], { executor: { ahead_ms: 120_000 } });
    expect(history.states()['write-file']).toBe('unclassified');
    history.after(58_999).lists([read]);
    expect(history.states()['write-file']).toBe('unclassified');
    history.after(1).lists([read]);
    expect(history.states()['write-file']).toBe('gone');
  });

  test('is not gone by two executors that list at the same time, and what they list is there once', () => {
    const beside = { executor: { is_beside: true } };
    const [one, two] = [listed(read, write).announced(), listed(read, write).announced()];
    const other = listedTool('read_file', { description: 'Does it in other words.' });
    for (const [history, more] of [[one, {}] as const, [two, beside] as const]) {
      history.after(1_000).lists([other], more);
      expect(history.states()).toEqual({ read_file: 'pending_change', 'write-file': 'unclassified' });
    }
    expect(two.tool('read_file')).toEqual(one.tool('read_file'));
    expect(two.after(1_000).lists([other])).toBe(false);
  });

  test('is not gone while listings fail, which only says that the upstream is unhealthy', () => {
    const history = listed(read);
    expect(history.after(100_000).fails()).toBe(true);
    expect(history.after(100_000).fails()).toBe(false);
    expect(history.states()).toEqual({ read_file: 'unclassified' });
    expect(listingOf(history.state, 'acme', 'files')).toMatchObject({ is_healthy: false, fault: 'unreachable' });
    expect(history.lists([read])).toBe(true);
    expect(listingOf(history.state, 'acme', 'files')).toMatchObject({ is_healthy: true, fault: null });
  });

  test('is missing anew after it was listed in between', () => {
    const history = listed(read, write);
    history.after(1_000).lists([read]);
    history.after(59_000).lists([read, write]);
    history.after(2_000).lists([read]);
    expect(history.states()['write-file']).toBe('unclassified');
  });

  test('is not missing while its definition is refused: it is suspended', () => {
    const history = listed(read, write);
    const refused = [{ tool: 'write-file', reason: 'it has more than 20000 characters' }];
    history.after(1_000).lists([read], { refused });
    history.after(100_000).lists([read], { refused });
    expect(history.states()['write-file']).toBe('suspended');
  });

  test('runs again when it comes back as it was, and needs the operator when it comes back as another', () => {
    const gone = () => {
      const history = listed(read, write).classifies('write-file', { effect_class: 'commit_low' }).announced();
      history.after(1_000).lists([read]);
      history.after(60_000).lists([read]);
      expect(history.states()['write-file']).toBe('gone');
      return history;
    };
    const same = gone();
    same.lists([read, write]);
    expect(same.states()['write-file']).toBe('active');
    const other = gone();
    other.lists([read, { ...write, description: 'Another tool of this name altogether.' }]);
    expect(other.states()['write-file']).toBe('suspended');
    other.classifies('write-file', { effect_class: 'commit_low' }, '1.0.1').announced();
    expect(other.states()['write-file']).toBe('active');
  });
});

describe('an upstream', () => {
  test('at another place has none of the trust of the former one', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' }).announced();
    history.set('https://elsewhere.example/mcp');
    expect(history.states()).toEqual({ read_file: 'suspended' });
    history.lists([read, write]);
    expect(history.states()).toEqual({ read_file: 'suspended', 'write-file': 'unclassified' });
    history.announced();
    expect(history.lifecycles('files__read_file')).toEqual({ '1.0.0': 'suspended' });
    expect(history.tool('write-file')?.version).toBe('0.2.0');
  });

  test('that is set again at its place keeps its tools', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' }).announced().set();
    expect(history.states()).toEqual({ read_file: 'active' });
    expect(history.lists([read])).toBe(true);
    expect(history.states()).toEqual({ read_file: 'active' });
  });

  test('that is removed has no tools, also if it comes back', () => {
    const history = listed(read).classifies('read_file', { effect_class: 'read_internal' }).announced().set(null);
    expect(history.states()).toEqual({});
    expect(history.lifecycles('files__read_file')).toEqual({ '1.0.0': 'suspended' });
    history.set();
    expect(history.states()).toEqual({ read_file: 'suspended' });
  });

  test('whose new tool has the name of a known one makes both change their names', () => {
    const history = listed(read).announced();
    history.lists([read, listedTool('readFile')]);
    const [camel, snake] = upstreamToolsOf(history.state, 'acme', 'files').map(({ name }) => name);
    expect([camel, snake]).toEqual([expect.stringMatching(/^files__read_file_[0-9a-f]{6}$/), expect.stringMatching(/_[0-9a-f]{6}$/)]);
    expect(camel).not.toBe(snake);
    expect(history.lifecycles('files__read_file')).toEqual({ '0.1.0': 'suspended' });
  });

  test('folds to the same state whichever of its two topics is read first', () => {
    const history = listed(read, write).classifies('read_file', { effect_class: 'read_internal' });
    history.lists([reworded, write]);
    for (const first of ['tool-registered', 'configuration-changed']) {
      const other = new UpstreamHistory();
      const order = history.recorded.slice(1).toSorted((a, b) => Number(b.topic === first) - Number(a.topic === first));
      for (const { topic, event_type, fields } of order) other.fold(topic, event_type as 'upstream_listed', fields as never);
      expect(upstreamToolsOf(other.state, 'acme', 'files')).toEqual(upstreamToolsOf(history.state, 'acme', 'files'));
    }
  });

  test('is not recorded again while it says the same', () => {
    const history = listed(read);
    expect([history.after(300_000).lists([read]), history.after(300_000).lists([read])]).toEqual([false, false]);
  });
});

describe('the bounds of what an upstream may fill', () => {
  test('a description of 1 MB is refused alone, and 5,000 tools are cut to those that are known and the first by name', () => {
    const history = listed(listedTool('zzz'));
    const many = Array.from({ length: 5_000 }, (_, at) => listedTool(`t${String(at).padStart(4, '0')}`));
    expect(history.lists([...many, listedTool('zzz'), listedTool('huge', { description: 'x'.repeat(1_000_000) })])).toBe(true);
    const tools = upstreamToolsOf(history.state, 'acme', 'files').map(({ tool }) => tool);
    expect([tools.length, tools[0], tools.at(-2), tools.at(-1)]).toEqual([UPSTREAM_BOUNDS.tools, 't0000', 't0198', 'zzz']);
    const { refused = [] } = listingOf(history.state, 'acme', 'files') ?? {};
    expect(refused.length).toBe(UPSTREAM_BOUNDS.refused_told + 1);
    expect(refused.at(-1)).toEqual({ tool: '', reason: '4702 more tools are refused' });
  });

  test('an upstream that changes its tools at each listing stops being recorded', () => {
    const history = listed(read);
    let recorded = 0;
    for (let round = 0; round < 400; round++) {
      const changed = listedTool('read_file', { description: `${round}${'x'.repeat(15_000)}` });
      recorded += Number(history.after(60_000).lists([changed]));
    }
    expect(recorded).toBeLessThan(300);
    expect(listingOf(history.state, 'acme', 'files')).toMatchObject({ is_healthy: false, fault: 'bounds' });
    history.set();
    expect(history.lists([read])).toBe(true);
    expect(listingOf(history.state, 'acme', 'files')).toMatchObject({ is_healthy: true });
  });

  test('what one upstream fills is not taken from another, beyond the bound of the tenant', () => {
    const history = new UpstreamHistory();
    const names = Array.from({ length: 8 }, (_, at) => `up${at}`);
    const two_hundred = Array.from({ length: 200 }, (_, at) => listedTool(`t${at}`));
    for (const upstream of names) history.set(`https://${upstream}.example/`, upstream).lists(two_hundred, { upstream });
    const counts = names.map((upstream) => upstreamToolsOf(history.state, 'acme', upstream).length);
    expect(counts).toEqual([200, 200, 200, 200, 200, 0, 0, 0]);
  });
});
