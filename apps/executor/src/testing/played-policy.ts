import {
  type CompensationKind,
  callId,
  canonicalText,
  contractDigest,
  derivedKey,
  discriminatingInputs,
  type EventMap,
  isReadOnly,
  keyOfText,
  NO_CONTEXT,
  normalise,
  partitionOf,
  sha256Hex,
  type ToolCall,
  type ToolContract,
  uuidv7,
} from '@countersign/contracts';
import { undoKeyText } from '@countersign/domain';
import type { Pack } from '@countersign/tool-kit';

export const PARTITIONS = 2;
export const TENANT_KEY = Buffer.alloc(32, 7);

/** Options of a call in a spec; the others have defaults. */
export interface RulingOptions {
  tenant?: string;
  act?: string;
  wait_ms?: number;
  slot?: string;
  case_id?: string;
  call?: Partial<ToolCall>;
  ruling?: Partial<EventMap['policy_decided']>;
  /** A key other than the derived one. */
  key?: string;
}

/** Plays the gateway and the policy service for an executor: makes the calls, decisions and grants of the specs. */
export class PlayedPolicy {
  private readonly contracts: ReadonlyMap<string, ToolContract>;

  constructor(pack: Pack) {
    this.contracts = new Map(pack.tools.map((tool) => [tool.contract.name, tool.contract]));
  }

  /** A call as a gateway admits it. */
  call(tool: string, name: string, options: RulingOptions = {}): { call_id: string; call: ToolCall } {
    const contract = this.contracts.get(tool) as ToolContract;
    const inputs = {
      name,
      ...(options.act ? { act: options.act } : {}),
      ...(options.wait_ms ? { wait_ms: options.wait_ms } : {}),
      ...(options.slot ? { slot: options.slot } : {}),
    };
    const tenant_id = options.tenant ?? 'default';
    const case_id = options.case_id ?? 'case-1';
    const uuid = uuidv7(Date.now());
    const discriminating = canonicalText(normalise(discriminatingInputs(contract, inputs)));
    const key = isReadOnly(contract.effect_class)
      ? uuid
      : (options.key ??
        derivedKey(TENANT_KEY, {
          tenant_id,
          case_id,
          run_id: null,
          principal_id: 'agent-1',
          tool,
          version: '1.0.0',
          discriminating,
          occurrence: null,
        }));
    const inputs_json = canonicalText(inputs);
    const call: ToolCall = {
      tool,
      version: '1.0.0',
      effect_class: contract.effect_class,
      category: 'test',
      contract_digest: contractDigest(contract),
      inputs_json,
      inputs_digest: sha256Hex(inputs_json),
      sealed: null,
      mapped: null,
      idempotency_key: key,
      key_source: 'derived',
      discriminating_digest: sha256Hex(discriminating),
      window_ms: 86_400_000,
      case_id,
      run_id: null,
      occurrence: null,
      principal: { kind: 'agent', id: 'agent-1', roles: ['agent'] },
      context: NO_CONTEXT,
      deadline_ms: null,
      authority: null,
      callback_url: null,
      requested_at_ms: Date.now(),
      lane: 'shared',
      ...options.call,
    };
    return { call_id: callId(partitionOf(key, PARTITIONS), uuid), call };
  }

  /** The decision that allows a call. */
  ruling(tool: string, name: string, options: RulingOptions = {}): EventMap['policy_decided'] {
    const { call_id, call } = this.call(tool, name, options);
    return {
      meta: this.meta(call_id, options.tenant ?? 'default'),
      decision_id: uuidv7(Date.now()),
      revision: 1,
      effect: 'allow',
      tier: 'tier_1_auto',
      approval_mode_effective: 'local_write',
      rule: 'default',
      bundle_version: '1',
      config_offset: 1_000_000,
      reason: null,
      joined_call_id: null,
      approval_id: null,
      execute_before_ms: Date.now() + 60_000,
      reservations: [],
      defer: null,
      explanation: null,
      source: { topic: 'tool-call-requested', offset: 0 },
      call,
      ...options.ruling,
    };
  }

  /** The decision that allows the undo of an earlier call's effect. */
  undoRuling(
    of: EventMap['policy_decided'],
    over: { kind?: CompensationKind; attempt?: number; late_offset?: number; call?: Partial<ToolCall> } = {},
  ) {
    const { idempotency_key } = of.call;
    const attempt = over.attempt ?? 1;
    const call_id = of.meta.call_id as string;
    const key = keyOfText(TENANT_KEY, undoKeyText({ effect_key: idempotency_key, effect_attempt: attempt }));
    const compensates = {
      call_id,
      idempotency_key,
      attempt,
      kind: over.kind ?? ('own' as const),
      also: null,
      late_offset: over.late_offset ?? null,
    };
    const call: ToolCall = { ...of.call, idempotency_key: key, key_source: 'effect', compensates, ...over.call };
    const id = callId(of.meta.partition, uuidv7(Date.now()));
    return { ...this.ruling(of.call.tool, ''), meta: this.meta(id, of.meta.tenant_id), call };
  }

  meta(call_id: string, tenant_id: string): EventMap['policy_decided']['meta'] {
    const partition = Number(call_id.split('-', 1)[0]);
    return {
      event_id: uuidv7(Date.now()),
      tenant_id,
      call_id,
      attempt: 0,
      causation_id: null,
      correlation_id: 'a'.repeat(32),
      hlc: Date.now() * 1000,
      partition,
    };
  }

  /** A grant by these people. */
  grant(
    ruling: EventMap['policy_decided'],
    voters: readonly string[] = ['ann'],
    over: Partial<EventMap['approval_granted']> = {},
  ): EventMap['approval_granted'] {
    return {
      meta: { ...ruling.meta, event_id: uuidv7(Date.now()) },
      approval_id: `approval-${ruling.meta.call_id}`,
      decision_id: ruling.decision_id,
      revision: ruling.revision,
      ruling_digest: 'd',
      votes: voters.map((voter_id) => ({
        vote_id: `vote-${voter_id}`,
        voter_id,
        vote: 'approve',
        voted_at_ms: Date.now(),
        on_behalf_of: null,
        to: null,
        grant: null,
        in_parts: [],
        voter_issuer: null,
      })),
      joined_call_id: null,
      execute_before_ms: Date.now() + 60_000,
      tier: 'tier_2_approval_required',
      source: { topic: 'approval-voted', offset: 0 },
      call: ruling.call,
      similar: null,
      history_json: null,
      asked: null,
      parts: [],
      also: null,
      ...over,
    };
  }
}
