import type { Outcome, ToolCall } from '@countersign/contracts';
import { upstreamToolsOf } from '@countersign/domain';
import { listedTool, UpstreamHistory } from '@countersign/domain/testing/upstream-history';
import { InProcessResults } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import type { Job } from '../calls/job.js';
import { plainJob } from '../testing/plain-job.js';
import { holdsMs, Memo, type MemoTool } from './memo.js';

const ALIAS = 'mcp_files_read_file';
const agent: ToolCall['principal'] = { kind: 'agent', id: 'a', roles: [] };

function world() {
  const history = new UpstreamHistory().set();
  history.lists([listedTool('read_file')]);
  history.classifies('read_file', { effect_class: 'read_external', alias: { ttl_ms: 5_000 } }).announced();
  const clock = { now_ms: 0 };
  const memo = new Memo(new InProcessResults({ now_ms: () => clock.now_ms }), { tenantKey: () => Buffer.alloc(32, 1) } as never, history);
  const [standing] = upstreamToolsOf(history.state, 'acme', 'files');
  const tool: MemoTool = { digest: 'd', contract: standing?.contract as MemoTool['contract'], holds_ms: 0 };
  return { history, clock, memo, tool };
}

function job(over: Partial<ToolCall> = {}, tenant_id = 'acme'): Job {
  const made = plainJob('0-a');
  made.authorised.meta.tenant_id = tenant_id;
  const call = { tool: 'files__read_file', version: '1.0.0', inputs_digest: 'i', principal: agent, authority: null, alias: ALIAS };
  Object.assign(made.call, call, { context: { purpose: null } }, over);
  return made;
}

const outcome = {
  output_json: '{"n":1}',
  truncated: false,
  warnings: [],
  attachments: [],
  extras: null,
  ended_at_ms: 77,
} as never as Outcome;

async function cachedFor({ memo, tool }: ReturnType<typeof world>, asked: Job) {
  return memo.find(asked.tenant_id, memo.keyOf(tool, asked, ''));
}

async function kept() {
  const at = world();
  const first = job();
  first.memo_key = at.memo.keyOf(at.tool, first, '');
  at.memo.keep(at.tool, first, outcome);
  return at;
}

describe('a result of a call by an alias', () => {
  test('answers an equal call, marked and with its age, until it is as old as the operator allows', async () => {
    const at = await kept();
    const found = await cachedFor(at, job());
    expect(found).toMatchObject({ output_json: '{"n":1}', extras: { cached: true, provenance: { as_of_ms: 77 } } });
    at.clock.now_ms = 5_000;
    expect(await cachedFor(at, job())).toBeUndefined();
  });

  test.each<[string, Job]>([
    ['another tenant', job({}, 'rival')],
    ['another principal', job({ principal: { ...agent, id: 'b' } })],
    ['another purpose', job({ context: { purpose: 'audit' } as ToolCall['context'] })],
    ['other inputs', job({ inputs_digest: 'j' })],
    ['the name of the tool', job({ alias: null })],
  ])('answers no call of or by %s', async (_title, asked) => expect(await cachedFor(await kept(), asked)).toBeUndefined());

  test('answers no call after the configuration of its tenant has changed, and still after that of another has', async () => {
    const at = await kept();
    at.history.fold('configuration-changed', 'tenant_set', { lane: 'shared' } as never, 'rival');
    expect(await cachedFor(at, job())).toBeDefined();
    at.history.fold('configuration-changed', 'policy_bundle_activated', { version: null, shadow: null } as never);
    expect(await cachedFor(at, job())).toBeUndefined();
  });
});

test('only calls by the alias of a tool of an upstream are cached', () => {
  const { tool } = world();
  const held = (over: Partial<ToolCall>) => holdsMs(tool, job(over));
  expect([held({}), held({ alias: null }), held({ alias: 'mcp_files_other' })]).toEqual([5_000, 0, 0]);
  const write = { ...tool, contract: { ...tool.contract, effect_class: 'commit_low' as const } };
  expect(holdsMs(write, job())).toBe(0);
});
