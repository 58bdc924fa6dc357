import { Calls, envelopeText, Views } from '@countersign/calls';
import { placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { callId, SEALED, uuidv7 } from '@countersign/contracts';
import { type CallState, evolve, initialConfiguration, packCall, setPersonalData } from '@countersign/domain';
import { PgliteStore, stableTables, upsertCalls } from '@countersign/store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { OpenStreams } from '../streams/open-streams.js';
import { FeatureApp } from '../testing/feature-app.js';
import { CallsModule } from './calls.module.js';

type Call = ReturnType<typeof sampleCall>;
interface Listed {
  call_id: string;
  [member: string]: unknown;
}

let store: PgliteStore;
let app: FeatureApp;
let configuration = { state: initialConfiguration() };

beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const views = { store, current: async () => true };
  app = await FeatureApp.open(CallsModule, [
    { provide: Calls, useValue: { recorded: { views } } },
    {
      provide: ConfigurationService,
      useFactory: () => ({
        get state() {
          return configuration.state;
        },
      }),
    },
    { provide: OpenStreams, useValue: {} },
    { provide: Views, useValue: views },
  ]);
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

/** The row and the state of a call that ended, as the projector writes them. */
function ended(call: Partial<Call>, { at_ms = 5_000, tenant_id = 'acme', trace_id = 'a'.repeat(32) } = {}) {
  const call_id = callId(2, uuidv7(at_ms));
  const meta = sampleMeta({ call_id, tenant_id, correlation_id: trace_id });
  const whole = sampleCall({ ...call, requested_at_ms: at_ms });
  const state = [
    placed('tool_call_requested', { meta, call: whole }, 'tool-call-requested'),
    placed('policy_decided', sampleRuling({ meta, call: whole }), 'policy-decided'),
    placed('tool_executed', sampleEnd({ meta }), 'tool-executed'),
  ].reduce<CallState | undefined>(evolve, undefined) as CallState;
  const { tool, case_id, context } = whole;
  const found = { call_id, tenant_id, case_id, run_id: context.run_id, tool, status: 'succeeded', requested_at_ms: at_ms, hlc: 1 };
  return { state, row: { ...found, state: packCall(state), waits_approval: false } };
}

async function recorded(...of: Parameters<typeof ended>): Promise<CallState> {
  const { state, row } = ended(...of);
  await store.atomically([stableTables(['calls']).bind(upsertCalls([row]))]);
  return state;
}

const list = (query: string) => app.send('GET', `/v1/calls?${query}`, { role: 'auditor' });
const idsOf = async (query: string): Promise<string[]> => (await list(query)).body.items.map(({ call_id }: Listed) => call_id);

beforeEach(() => {
  configuration = { state: initialConfiguration() };
});

describe('given a call of a case', () => {
  let state: CallState;
  beforeAll(async () => {
    state = await recorded({ case_id: 'members', inputs_json: '{"amount":12345678901234567890.10}' });
  });

  test('a listed call is a summary, without inputs, results and explanations', async () => {
    const [item] = (await list('case_id=members')).body.items;
    expect(item).toMatchObject({ call_id: state.call_id, tool: 'write_note', status: 'succeeded', case_id: 'members', error: null });
    expect(Object.keys(item.decision)).toEqual(['effect', 'rule', 'tier']);
    for (const name of ['input', 'inputs', 'output', 'name', 'attempts']) expect(item).not.toHaveProperty(name);
  });

  test('expand=all returns the envelope, with the recorded texts', async () => {
    const { text } = await list('case_id=members&expand=*');
    expect(text).toBe(`{"items":[${envelopeText(state)}],"next_cursor":null}`);
    expect((await list('case_id=members&expand=inputs')).text).toContain('"inputs":{"amount":12345678901234567890.10}');
  });

  test('a summary is one inert sentence, without a contract only the tool, and is never part of the whole envelope', async () => {
    expect((await list('case_id=members&fields=summary')).body.items).toEqual([{ summary: 'Run write_note' }]);
    const [item] = (await list('case_id=members&expand=summary')).body.items;
    expect(item).toMatchObject({ call_id: state.call_id, summary: 'Run write_note' });
  });

  test('fields returns exactly the named members; an unknown one is refused with the known names', async () => {
    expect((await list('case_id=members&fields=status,tool')).body.items).toEqual([{ status: 'succeeded', tool: 'write_note' }]);
    expect((await list('case_id=members&fields=tool&expand=output')).body.items).toEqual([{ tool: 'write_note', output: { bytes: 3 } }]);
    for (const query of ['fields=tool,colour', 'expand=colour', 'fields=', 'fields=__proto__', 'fields=*']) {
      const { status, body } = await list(query);
      expect([query, status, body.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
      expect(body.validation.issues[0].message).toContain('"mapped_input"');
    }
  });
});

describe('given calls of several callers', () => {
  const principal = (id: string) => ({ kind: 'agent' as const, id, roles: ['agent'] });
  let anns: CallState;
  let bobs: CallState;
  beforeAll(async () => {
    anns = await recorded({ case_id: 'who', principal: principal('ann'), inputs_json: '{"to":"Zürich"}' }, { at_ms: 10_000 });
    bobs = await recorded({ case_id: 'who', principal: principal('bob') }, { at_ms: 20_000, trace_id: 'b'.repeat(32) });
    await recorded({ case_id: 'who', principal: principal('ann'), inputs_json: '{"to":"Zürich"}' }, { tenant_id: 'globex' });
  });

  test('they are filtered by caller, trace, text and time', async () => {
    expect(await idsOf('case_id=who&principal=ann')).toEqual([anns.call_id]);
    expect(await idsOf(`case_id=who&trace_id=${'b'.repeat(32)}`)).toEqual([bobs.call_id]);
    expect(await idsOf('case_id=who&text=z%C3%BCRICH')).toEqual([anns.call_id]);
    expect(await idsOf('case_id=who&text=WRITE_note')).toEqual([bobs.call_id, anns.call_id]);
    expect(await idsOf('case_id=who&on_behalf_of=ann')).toEqual([]);
    expect(await idsOf('case_id=who&requested_after=1970-01-01T00:00:20Z')).toEqual([bobs.call_id]);
    expect(await idsOf('case_id=who&requested_before=1970-01-01T00:00:20Z')).toEqual([anns.call_id]);
    expect(await idsOf('case_id=who&status=failed,succeeded')).toEqual([bobs.call_id, anns.call_id]);
    expect(await idsOf('case_id=who&status=failed,denied')).toEqual([]);
  });

  test('an invalid filter is refused', async () => {
    for (const query of ['requested_after=yesterday', 'trace_id=xyz', 'text=a', 'status=succeeded,gone', 'principal='])
      expect([query, (await list(query)).status]).toEqual([query, 400]);
  });

  test('pattern characters in a text match literally', async () => {
    expect(await idsOf('case_id=who&text=%25%25')).toEqual([]);
    expect(await idsOf('case_id=who&text=.*')).toEqual([]);
  });
});

test('a search reads a bounded number of calls, and its cursor continues', async () => {
  const first = await recorded({ case_id: 'many', principal: { kind: 'agent', id: 'first', roles: [] } }, { at_ms: 1 });
  const rows = Array.from({ length: 1000 }, (_, i) => ended({ case_id: 'many' }, { at_ms: 2 + i }).row);
  await store.atomically([stableTables(['calls']).bind(upsertCalls(rows))]);
  const { items, next_cursor } = (await list('case_id=many&principal=first&limit=1')).body;
  expect([items, typeof next_cursor]).toEqual([[], 'string']);
  const next = (await list(`case_id=many&principal=first&limit=1&cursor=${next_cursor}`)).body;
  expect(next.items).toMatchObject([{ call_id: first.call_id }]);
}, 60_000);

describe('text that is not searched', () => {
  const find = (text: string) => idsOf(`case_id=secret&text=${encodeURIComponent(text)}`);

  test('an encrypted value, also if all inputs are encrypted', async () => {
    const sealed = `${SEALED}QUJDREVG`;
    await recorded({
      case_id: 'secret',
      inputs_json: JSON.stringify({ who: sealed, why: 'overt' }),
      sealed: [{ key_id: 'k1', subject: 's' } as never],
    });
    await recorded({ case_id: 'secret', inputs_json: JSON.stringify({ who: sealed, why: 'overt' }) });
    for (const text of ['QUJDREVG', 'sealed:v1', 'overt']) expect([text, await find(text)]).toEqual([text, []]);
  });

  test('inputs of a tool that a later rule declares personal', async () => {
    const early = await recorded({ case_id: 'secret', inputs_json: '{"name":"Ida Sample"}' });
    expect(await find('ida sample')).toEqual([early.call_id]);
    setPersonalData(configuration.state, {
      meta: sampleMeta(),
      rule_id: 'people',
      version: 1,
      removed: false,
      tools: ['write_*'],
      markings: [],
      subjects: ['/name'],
      inputs: [{ path: '/name', subjects: [] }],
      output: [],
      by: { kind: 'user', id: 'paula', roles: [] },
      changed_at_ms: 1,
    });
    expect(await find('ida sample')).toEqual([]);
    expect(await find(early.call_id)).toEqual([early.call_id]);
  });
});
