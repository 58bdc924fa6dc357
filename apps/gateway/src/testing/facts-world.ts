import { placed, sampleCall, sampleContract, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { callId, contractDigest, type ToolCall, type ToolContract, uuidv7 } from '@countersign/contracts';
import {
  type CallState,
  type ConfigurationState,
  evolve,
  initialConfiguration,
  packCall,
  type ToolVersion,
  tenantPart,
} from '@countersign/domain';
import {
  type ApprovalRow,
  type PgliteStore,
  type RequestedApproval,
  readApproval,
  stableTables,
  upsertApprovals,
  upsertCalls,
} from '@countersign/store';
import { ApprovalFactsService } from '../approval-facts/approval-facts.service.js';
import { TrustReader } from '../trust/trust-reader.js';

export const NOW = Date.parse('2026-11-20T12:00:00Z');
const PARTITION = 2;

/** A tool that pays, with an amount and a resource. */
export const payContract = (more: Partial<ToolContract> = {}): ToolContract =>
  sampleContract({
    name: 'pay',
    title: 'Pay',
    summary: 'Pay {/amount} to {/to}',
    input_schema: { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number', 'x-grant': 'amount' } } },
    idempotency: { discriminating: ['to', 'amount'] },
    resources: [{ name: 'account:{/to}', effect: 'adds' }],
    effect_class: 'commit_high',
    ...more,
  });

/** A call as its events report it. */
export interface FactsCall {
  tenant_id?: string;
  inputs: unknown;
  at_ms?: number;
  contract?: ToolContract;
  markings?: string[];
  /** False: it waits for approval. */
  ran?: boolean;
  more?: Partial<ToolCall>;
}

const authority = {
  agent_token_ref: 'key:k',
  scopes: null,
  clearances: [],
  purposes: null,
  on_behalf_of: null,
  delegated_user_token_ref: null,
  delegation_id: null,
  sources: [],
};

const requirement = {
  decision_id: 'd',
  approver_roles: ['approver'],
  people: [],
  quorum: 1,
  reversibility: 'reversible',
  ruling_digest: 'r',
  rule: 'ask',
  requirement: null,
  barred: [],
  evidence: null,
  edit: null,
  parts: [],
  distinct: false,
  grantable: true,
  inputs_json: null,
} satisfies RequestedApproval;

/** Facts over a real store, with rows as the projector writes them. */
export class FactsWorld {
  readonly configuration: ConfigurationState = initialConfiguration();
  readonly facts: ApprovalFactsService;

  constructor(private readonly store: PgliteStore) {
    const state = this.configuration;
    const parts = { trustScores: { scores: new Map() } } as never;
    const trust = new TrustReader(store, {} as never, { now_ms: () => NOW } as never, parts);
    const configuration = { state, now_ms: () => NOW } as never;
    this.facts = new ApprovalFactsService({ views: { store } } as never, configuration, trust);
  }

  register(contract: ToolContract = payContract()): void {
    const { name, version } = contract;
    this.configuration.tools.set(name, [{ name, version, contract, digest: contractDigest(contract) } as ToolVersion]);
  }

  tenant(tenant_id: string) {
    return tenantPart(this.configuration, tenant_id);
  }

  async call({
    tenant_id = 'acme',
    inputs,
    at_ms = NOW - 1000,
    contract = payContract(),
    markings = [],
    ran = true,
    more = {},
  }: FactsCall) {
    const call_id = callId(PARTITION, uuidv7(at_ms));
    const meta = sampleMeta({ call_id, tenant_id });
    const call = sampleCall({
      tool: contract.name,
      version: contract.version,
      contract_digest: contractDigest(contract),
      inputs_json: JSON.stringify(inputs),
      requested_at_ms: at_ms,
      authority: { ...authority, markings },
      ...more,
    });
    const events = [
      placed('tool_call_requested', { meta, call }, 'tool-call-requested'),
      placed('policy_decided', { ...sampleRuling({ meta, call }) }, 'policy-decided'),
      ...(ran ? [placed('tool_executed', { ...sampleEnd({ meta }) }, 'tool-executed')] : []),
    ];
    const state = packCall(events.reduce<CallState | undefined>(evolve, undefined) as CallState);
    const found = { call_id, tenant_id, case_id: null, run_id: null, tool: call.tool, requested_at_ms: at_ms, hlc: 1 };
    const row = { ...found, status: ran ? 'succeeded' : 'pending_approval', state, waits_approval: !ran };
    await this.store.atomically([stableTables(['calls']).bind(upsertCalls([row]))]);
    return call_id;
  }

  /** A call that waits, and its request. */
  async waiting(call: FactsCall, more: Partial<RequestedApproval> = {}): Promise<ApprovalRow> {
    const { tenant_id = 'acme', at_ms = NOW - 500 } = call;
    const call_id = await this.call({ ...call, at_ms, ran: false });
    const detail = { ...requirement, ...more };
    const request = { call_id, revision: 1, requested_at_ms: at_ms, expires_at_ms: NOW + 60_000, requirement: detail };
    const approval = { approval_id: `${call_id}.1`, tenant_id, partition: PARTITION, request, end: null };
    await this.store.atomically([stableTables(['approvals']).bind(upsertApprovals([approval]))]);
    return (await readApproval(this.store, tenant_id, approval.approval_id)) as ApprovalRow;
  }
}
