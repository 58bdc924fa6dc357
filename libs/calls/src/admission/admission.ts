import {
  type Authority,
  type CompensatedEffect,
  laneTopic,
  NO_CONTEXT,
  nextHlc,
  type ToolCall,
  union,
  uuidv7,
  type VersionState,
} from '@countersign/contracts';
import {
  aliasedTool,
  caseOf,
  lifecycleEntry,
  type PersonalRule,
  REFERENCE_PREFIX,
  resolveCaseId,
  resolveVersion,
  type Tenant,
  type ToolVersion,
  tenantOf,
} from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { AddressRules } from '@countersign/outbound';
import type { Configuration, TenantKeys } from '@countersign/process';
import type { Caller } from '../caller.js';
import { type Identity, identify } from '../identity/effect-identity.js';
import { idempotencyKey } from '../identity/idempotency-key.js';
import { type SagaStepOrigin, stepIdentity } from '../identity/step-identity.js';
import { undoIdentity } from '../identity/undo-identity.js';
import type { CallSealer } from '../personal/call-sealer.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall, Deprecation } from '../request/admitted-call.js';
import type { CallRequest } from '../request/call-request.js';
import { callbackFault } from '../request/callback-url.js';
import { metadataJson, nameOfRequest, ownTexts } from '../request/own-reference.js';
import { costLeft, deadlineOf } from '../request/run-budget.js';
import { CompiledContracts, isTooDeep } from './compiled-contracts.js';
import { deprecationOf } from './deprecation.js';
import type { RecordGuard } from './record-guard.js';
import { badReference, noSuchCase } from './unknown-case.js';
import { noSuchTool, noSuchVersion } from './unknown-tool.js';

export interface AdmissionRules {
  callback_addresses: AddressRules;
}

export interface CallOrigin {
  caller: Caller;
  /** `Idempotency-Key` header. */
  idempotency_key: string | undefined;
  /** The effect that the call undoes. It gives the idempotency key and the partition of the call. */
  undoes?: { effect: CompensatedEffect; request_id: string | undefined };
  /** The step of a saga that makes the call. It gives the identity of the call. */
  step?: SagaStepOrigin;
  /** Set if the call acts for a user or uses results of other calls. Absent: the call has the caller's own rights. */
  authority?: Authority;
  now_ms: number;
  /** 32 hex digits. */
  trace_id: string;
}

/** The version that a request runs. `alias`: the name that it gave, if that is not the tool's. */
interface Resolved {
  tool: ToolVersion;
  lifecycle: VersionState;
  alias: string | undefined;
}

/** Validates and completes a request. It does not decide whether the call may run; policy does. */
export class Admission {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Configuration,
    private readonly log: EventLog,
    private readonly parts: { keys: TenantKeys; sealer: CallSealer; record: Pick<RecordGuard, 'refusal'> },
    private readonly rules: AdmissionRules,
  ) {}

  admit(submitted: CallRequest, origin: CallOrigin): AdmittedCall | Refusal {
    const request = inCase(submitted, origin.caller.tenant_id);
    if (request instanceof Refusal) return request;
    const damaged = this.parts.record.refusal(origin.caller.tenant_id);
    if (damaged) return damaged;
    const tenant = tenantOf(this.configuration.state, origin.caller.tenant_id);
    if (!tenant) return new Refusal('forbidden', 'the tenant does not exist', { reason: 'tenant_unknown' });
    const resolved = this.resolve(request, origin.caller);
    if (resolved instanceof Refusal) return resolved;
    const fault = this.inputFault(resolved.tool, request.inputs) ?? this.frameFault(request, origin);
    if (fault) return fault;
    const refusal_if_new = this.overFault(request, origin);
    const topic = laneTopic('tool-call-requested', tenant.lane);
    const personal = this.personalRules(resolved.tool, origin);
    let identity: Identity;
    try {
      identity = this.identity(request, resolved.tool, origin, { partitions: this.log.partitions(topic), secret: personal.length > 0 });
    } catch (cause) {
      return new Refusal('invalid-inputs', cause instanceof Error ? cause.message : 'the inputs are not canonical JSON', {
        layer: 'input',
        issues: [],
      });
    }
    if (refusal_if_new && !identity.numbered) return refusal_if_new;
    const forged = this.parts.sealer.forged(
      tenant.tenant_id,
      [identity.inputs_json, request.context?.rationale, ...ownTexts(request)].join('\n'),
    );
    if (forged) return forged;
    const { meta, call } = this.complete(request, resolved, origin, tenant, identity);
    return {
      topic,
      meta,
      call,
      tenant,
      personal,
      deprecation: resolved.lifecycle === 'deprecated' ? this.deprecation(resolved.tool, tenant.tenant_id) : undefined,
      numbered: identity.numbered,
      refusal_if_new,
    };
  }

  /** A tool by its name or its alias. */
  private resolve(request: CallRequest, caller: Caller): Resolved | Refusal {
    const { state } = this.configuration;
    const { alias, name = request.tool } = aliasedTool(state, caller.tenant_id, request.tool) ?? {};
    const found = resolveVersion(state, caller.tenant_id, name, request.version);
    switch (found.kind) {
      case 'unknown_tool':
        return noSuchTool(state, caller.tenant_id, name);
      case 'unknown_version':
        return noSuchVersion(state, caller.tenant_id, name, request.version ?? '');
      case 'bad_range':
        return new Refusal('invalid-request', 'a version is `1.2.3`, `^1.2.0` or `~1.2.0`', {
          issues: [{ path: '/version', code: 'version_range', message: 'is not a version or a range' }],
        });
      default:
        return { tool: found.tool, lifecycle: found.lifecycle, alias };
    }
  }

  private deprecation({ name, version }: ToolVersion, tenantId: string): Deprecation | undefined {
    const entry = lifecycleEntry(this.configuration.state.by_tenant.get(tenantId), name, version);
    return entry && deprecationOf(name, version, entry);
  }

  private inputFault(tool: ToolVersion, inputs: Record<string, unknown>): Refusal | undefined {
    if (isTooDeep(inputs)) return new Refusal('invalid-inputs', 'the inputs are nested too deeply', { layer: 'input', issues: [] });
    const check = this.contracts.of(tool);
    if (typeof check === 'string')
      return new Refusal('conflict', `the input schema of ${tool.name}@${tool.version} cannot be used: ${check}`, {
        reason: 'tool_schema_unusable',
      });
    const issues = check(inputs);
    const first = issues[0];
    return first ? new Refusal('invalid-inputs', `${first.path || 'the inputs'}: ${first.message}`, { layer: 'input', issues }) : undefined;
  }

  private frameFault(request: CallRequest, origin: CallOrigin): Refusal | undefined {
    const key = origin.idempotency_key;
    const keyFault = key === undefined ? undefined : idempotencyKey.safeParse(key).error?.issues[0]?.message;
    if (keyFault !== undefined) return new Refusal('invalid-request', keyFault);
    if (request.callback_url !== undefined) {
      const fault = callbackFault(request.callback_url, this.rules.callback_addresses);
      if (fault) return new Refusal('refused-callback', fault, { issues: [{ path: '/callback_url', code: 'refused', message: fault }] });
    }
    if (request.case_id === undefined || caseOf(this.configuration.state, origin.caller.tenant_id, request.case_id)) return undefined;
    return noSuchCase(request.case_id);
  }

  /** Checks that depend on time: a request that passed once may fail when it is sent again later. */
  private overFault(request: CallRequest, origin: CallOrigin): Refusal | undefined {
    const deadline_ms = deadlineOf(request, origin.now_ms);
    if (deadline_ms !== null && deadline_ms <= origin.now_ms)
      return new Refusal('deadline-passed', 'the deadline is in the past', {
        issues: [{ path: '/deadline', code: 'past', message: 'is in the past' }],
      });
    const found = request.case_id === undefined ? undefined : caseOf(this.configuration.state, origin.caller.tenant_id, request.case_id);
    return found?.state === 'closed' ? new Refusal('conflict', 'the case is closed', { reason: 'case_closed' }) : undefined;
  }

  private personalRules({ name, contract }: ToolVersion, { caller, authority }: CallOrigin): readonly PersonalRule[] {
    return this.parts.sealer.rules(caller.tenant_id, name, marked(authority ?? caller.authority, contract.markings).markings);
  }

  private identity(
    request: CallRequest,
    tool: ToolVersion,
    origin: CallOrigin,
    { partitions, secret }: { partitions: number; secret: boolean },
  ): Identity {
    const { tenant_id, principal } = origin.caller;
    const named = identify({
      contract: tool.contract,
      inputs: request.inputs,
      tenant_id,
      principal_id: effectPrincipal(principal.id, origin.authority),
      case_id: request.case_id ?? null,
      run_id: request.context?.run_id ?? null,
      occurrence: request.occurrence ?? null,
      seq: request.context?.seq ?? null,
      request_id: request.context?.request_id ?? nameOfRequest(request),
      requested_version: request.version ?? null,
      principal_kind: principal.kind,
      header: origin.idempotency_key,
      partitions,
      secret,
      tenant_key: this.parts.keys.tenantKey(tenant_id),
      fresh_uuid: uuidv7(origin.now_ms),
    });
    if (origin.step) return { ...named, ...stepIdentity(origin.step, tool.contract) };
    if (!origin.undoes) return named;
    const { effect, request_id } = origin.undoes;
    const tenant_key = this.parts.keys.tenantKey(tenant_id);
    const terms = { tenant_id, tenant_key, principal_id: principal.id, request_id, fresh_uuid: uuidv7(origin.now_ms) };
    return { ...named, ...undoIdentity(effect, terms), numbered: request_id !== undefined };
  }

  private complete(
    request: CallRequest,
    { tool, alias }: Resolved,
    origin: CallOrigin,
    tenant: Tenant,
    identity: Identity,
  ): Pick<AdmittedCall, 'meta' | 'call'> {
    const { call_id, partition, inputs_json, inputs_digest, idempotency_key, key_source, discriminating_digest, window_ms } = identity;
    const { now_ms, trace_id, caller } = origin;
    const meta = {
      event_id: uuidv7(now_ms),
      tenant_id: tenant.tenant_id,
      call_id,
      attempt: 0,
      causation_id: null,
      correlation_id: trace_id,
      hlc: nextHlc(now_ms, 0),
      partition,
    };
    const call: ToolCall = {
      tool: tool.name,
      version: tool.version,
      effect_class: tool.contract.effect_class,
      category: tool.contract.category,
      contract_digest: tool.digest,
      inputs_json,
      inputs_digest,
      idempotency_key,
      key_source,
      discriminating_digest,
      window_ms,
      case_id: request.case_id ?? null,
      run_id: request.context?.run_id ?? null,
      occurrence: request.occurrence ?? null,
      principal: caller.principal,
      context: request.context ? { ...NO_CONTEXT, ...request.context, run_budget: costLeft(request) } : NO_CONTEXT,
      deadline_ms: deadlineOf(request, now_ms),
      callback_url: request.callback_url ?? null,
      requested_at_ms: now_ms,
      lane: tenant.lane,
      authority: marked(origin.authority ?? caller.authority, tool.contract.markings),
      sealed: null,
      mapped: null,
      external_id: request.external_id ?? null,
      metadata_json: metadataJson(request.metadata),
      ...(origin.undoes ? { compensates: origin.undoes.effect } : {}),
      ...(origin.step ? { saga: origin.step.saga } : {}),
      ...(alias === undefined ? {} : { alias }),
    };
    return { meta, call };
  }
}

/** The request with the case id in place of a case reference, because the idempotency key is derived from the id. */
function inCase(request: CallRequest, tenant_id: string): CallRequest | Refusal {
  if (!request.case_id?.startsWith(REFERENCE_PREFIX)) return request;
  const case_id = resolveCaseId(tenant_id, request.case_id);
  return case_id === undefined ? badReference('/case_id') : { ...request, case_id };
}

/** The result carries the markings of its tool and sources. Returns a new object: calls share the caller's own authority. */
function marked(authority: Authority, markings: readonly string[]): Authority {
  return markings.length === 0 ? authority : { ...authority, markings: union(markings, authority.markings) };
}

/** Calls of one agent for two users are two different effects. */
function effectPrincipal(agentId: string, authority: Authority | undefined): string {
  return authority?.on_behalf_of ? `${agentId} for ${authority.on_behalf_of.id}` : agentId;
}
