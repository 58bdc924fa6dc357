import { RecordedCalls, RecordGuard, Views } from '@countersign/calls';
import { placed, sampleCall, sampleMeta } from '@countersign/calls/testing/samples';
import { callId, uuidv7 } from '@countersign/contracts';
import { type CallState, evolve, initialConfiguration, packCall } from '@countersign/domain';
import { PgliteStore, type RequestedApproval, stableTables, upsertApprovals, upsertCalls } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VerifiedTokens } from '../authentication/verified-tokens.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { DecisionLinks } from '../notifications/decision-link.js';
import { PolicyService } from '../policies/policy.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { TrustReader } from '../trust/trust-reader.js';
import { ApprovalsModule } from './approvals.module.js';
import { EditService } from './edit.service.js';

let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  const views = { store, current: async () => true };
  app = await FeatureApp.open(ApprovalsModule, [
    { provide: ConfigurationService, useValue: { state: initialConfiguration(), now_ms: () => 0 } },
    { provide: PolicyService, useValue: {} },
    { provide: Views, useValue: views },
    { provide: RecordedCalls, useValue: { views } },
    { provide: EditService, useValue: {} },
    { provide: VerifiedTokens, useValue: {} },
    { provide: TrustReader, useValue: {} },
    { provide: DecisionLinks, useValue: {} },
    { provide: RecordGuard, useValue: { refusal: () => undefined } },
  ]);
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

const requirement = { approver_roles: ['approver'], people: [], quorum: 1, reversibility: 'reversible', ruling_digest: 'r', rule: 'ask' };
const nothing = {
  requirement: null,
  barred: [],
  evidence: null,
  edit: null,
  parts: [],
  distinct: false,
  grantable: true,
  inputs_json: null,
};

/** The rows of a waiting call and its approval request, as the projector writes them. */
function waiting(approval_id: string, principal_id: string, { at_ms = 1_000, tool = 'write_note', tenant_id = 'acme' } = {}) {
  const call_id = callId(2, uuidv7(at_ms));
  const principal = { kind: 'agent' as const, id: principal_id, roles: ['agent'] };
  const meta = sampleMeta({ call_id, tenant_id });
  const requested = placed('tool_call_requested', { meta, call: sampleCall({ tool, principal }) }, 'tool-call-requested');
  const state = packCall(evolve(undefined, requested) as CallState);
  const found = { call_id, tenant_id, case_id: null, run_id: null, tool, status: 'pending_approval', requested_at_ms: at_ms, hlc: 1 };
  const detail = { decision_id: 'd', ...requirement, ...nothing } as RequestedApproval;
  const request = { call_id, revision: 1, requested_at_ms: at_ms, expires_at_ms: at_ms + 1000, requirement: detail };
  return { call: { ...found, state, waits_approval: true }, approval: { approval_id, tenant_id, partition: 2, request, end: null } };
}

async function recorded(rows: readonly ReturnType<typeof waiting>[]): Promise<void> {
  await store.atomically([
    stableTables(['calls']).bind(upsertCalls(rows.map(({ call }) => call))),
    stableTables(['approvals']).bind(upsertApprovals(rows.map(({ approval }) => approval))),
  ]);
}

const list = (query: string) => app.send('GET', `/v1/approvals?${query}`, { role: 'approver' });
const idsOf = async (query: string): Promise<string[]> =>
  (await list(query)).body.items.map(({ approval_id }: { approval_id: string }) => approval_id);

test('approvals are filtered by caller, tool and time, longest wait first', async () => {
  await recorded([
    waiting('f1', 'ann', { at_ms: 1_000 }),
    waiting('f2', 'bob', { at_ms: 2_000 }),
    waiting('f3', 'ann', { at_ms: 3_000, tool: 'pay' }),
    waiting('f4', 'ann', { at_ms: 2_000, tenant_id: 'globex' }),
  ]);
  expect(await idsOf('principal=ann')).toEqual(['f1', 'f3']);
  expect(await idsOf('principal=ann&tool=pay')).toEqual(['f3']);
  expect(await idsOf('principal=ann&status=granted')).toEqual([]);
  expect(await idsOf('principal=an')).toEqual([]);
  expect(await idsOf('requested_after=1970-01-01T00:00:02Z')).toEqual(['f2', 'f3']);
  expect(await idsOf('requested_before=1970-01-01T00:00:02Z')).toEqual(['f1']);
  for (const query of ['principal=', 'requested_after=now']) expect([query, (await list(query)).status]).toEqual([query, 400]);
});

test('a search by caller reads a bounded number of requests, and its cursor continues', async () => {
  const crowd = Array.from({ length: 1000 }, (_, n) => waiting(`many-${n}`, 'crowd', { at_ms: 10_000 + n }));
  await recorded([...crowd, waiting('last', 'zoe', { at_ms: 20_000 })]);
  const { items, next_cursor } = (await list('principal=zoe&requested_after=1970-01-01T00:00:10Z')).body;
  expect([items, typeof next_cursor]).toEqual([[], 'string']);
  expect(await idsOf(`principal=zoe&cursor=${next_cursor}`)).toEqual(['last']);
}, 60_000);
