import {
  type Authority,
  laneTopic,
  type Meta,
  NO_CONTEXT,
  nextHlc,
  type ToolCall,
  union,
  uuidv7,
  type VersionState,
} from '@countersign/contracts';
import { caseOf, lifecycleEntry, type PersonalRule, resolveVersion, type Tenant, type ToolVersion, tenantOf } from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { AddressRules } from '@countersign/outbound';
import type { Configuration, TenantKeys } from '@countersign/process';
import { type Deprecation, deprecationOf } from '../http/deprecation.js';
import { Problem } from '../http/problem.js';
import { noSuchTool, noSuchVersion } from '../http/unknown-tool.js';
import type { Caller } from '../identity/authenticator.js';
import type { CallSealer } from '../personal/call-sealer.js';
import type { CallRequest } from './call-request.js';
import { callbackFault } from './callback-url.js';
import { CompiledContracts, isTooDeep } from './compiled-contracts.js';
import { type Identity, identify } from './effect-identity.js';
import { idempotencyKey } from './idempotency-key.js';
import { costLeft, deadlineOf } from './run-budget.js';

export interface AdmissionRules {
  callback_addresses: AddressRules;
}

export interface CallOrigin {
  caller: Caller;
  /** `Idempotency-Key` header. */
  idempotency_key: string | undefined;
  /** Where the call is made for a user or from other calls' results; absent: by the caller's own rights. */
  authority?: Authority;
  now_ms: number;
  /** 32 hex digits. */
  trace_id: string;
}

/** A call that may go on the record. */
export interface AdmittedCall {
  topic: string;
  meta: Meta & { call_id: string };
  call: ToolCall;
  tenant: Tenant;
  /** Where its version is deprecated. */
  deprecation: Deprecation | undefined;
  /** Its id follows from the request, so it may be on the record already. */
  numbered: boolean;
  /** Why it may not be recorded any more; where it was recorded in time it is answered all the same. Only of numbered calls. */
  refusal_if_new: Problem | undefined;
  /** The rules that call something of it personal: it is sealed before it is recorded. */
  personal: readonly PersonalRule[];
}

/** Checks and completes a request; decides nothing: whether the call may run is policy's. */
export class Admission {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Configuration,
    private readonly log: EventLog,
    private readonly parts: { keys: TenantKeys; sealer: CallSealer },
    private readonly rules: AdmissionRules,
  ) {}

  admit(request: CallRequest, origin: CallOrigin): AdmittedCall | Problem {
    const tenant = tenantOf(this.configuration.state, origin.caller.tenant_id);
    if (!tenant) return new Problem('forbidden', 'the tenant does not exist');
    const resolved = this.resolve(request, origin.caller);
    if (resolved instanceof Problem) return resolved;
    const fault = this.inputFault(resolved.tool, request.inputs) ?? this.frameFault(request, origin);
    if (fault) return fault;
    const refusal_if_new = this.overFault(request, origin);
    const topic = laneTopic('tool-call-requested', tenant.lane);
    const personal = this.personalRules(resolved.tool, origin);
    let identity: Identity;
    try {
      identity = this.identity(request, resolved.tool, origin, { partitions: this.log.partitions(topic), secret: personal.length > 0 });
    } catch (cause) {
      return new Problem('invalid-inputs', cause instanceof Error ? cause.message : 'the inputs are not canonical JSON', {
        layer: 'input',
        issues: [],
      });
    }
    if (refusal_if_new && !identity.numbered) return refusal_if_new;
    const forged = this.parts.sealer.forged(tenant.tenant_id, `${identity.inputs_json}${request.context?.rationale ?? ''}`);
    if (forged) return forged;
    const { meta, call } = this.complete(request, resolved.tool, origin, tenant, identity);
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

  private resolve(request: CallRequest, caller: Caller): { tool: ToolVersion; lifecycle: VersionState } | Problem {
    const found = resolveVersion(this.configuration.state, caller.tenant_id, request.tool, request.version);
    switch (found.kind) {
      case 'unknown_tool':
        return noSuchTool(this.configuration.state, caller.tenant_id, request.tool);
      case 'unknown_version':
        return noSuchVersion(this.configuration.state, caller.tenant_id, request.tool, request.version ?? '');
      case 'bad_range':
        return new Problem('invalid-request', 'a version is `1.2.3`, `^1.2.0` or `~1.2.0`', {
          issues: [{ path: '/version', code: 'version_range', message: 'is not a version or a range' }],
        });
      default:
        return found;
    }
  }

  private deprecation({ name, version }: ToolVersion, tenantId: string): Deprecation | undefined {
    const entry = lifecycleEntry(this.configuration.state.by_tenant.get(tenantId), name, version);
    return entry && deprecationOf(name, version, entry);
  }

  private inputFault(tool: ToolVersion, inputs: Record<string, unknown>): Problem | undefined {
    if (isTooDeep(inputs)) return new Problem('invalid-inputs', 'the inputs are nested too deeply', { layer: 'input', issues: [] });
    const check = this.contracts.of(tool);
    if (typeof check === 'string')
      return new Problem('conflict', `the input schema of ${tool.name}@${tool.version} cannot be used: ${check}`);
    const issues = check(inputs);
    const first = issues[0];
    return first ? new Problem('invalid-inputs', `${first.path || 'the inputs'}: ${first.message}`, { layer: 'input', issues }) : undefined;
  }

  private frameFault(request: CallRequest, origin: CallOrigin): Problem | undefined {
    const key = origin.idempotency_key;
    const keyFault = key === undefined ? undefined : idempotencyKey.safeParse(key).error?.issues[0]?.message;
    if (keyFault !== undefined) return new Problem('invalid-request', keyFault);
    if (request.callback_url !== undefined) {
      const fault = callbackFault(request.callback_url, this.rules.callback_addresses);
      if (fault) return new Problem('refused-callback', fault, { issues: [{ path: '/callback_url', code: 'refused', message: fault }] });
    }
    if (request.case_id === undefined || caseOf(this.configuration.state, origin.caller.tenant_id, request.case_id)) return undefined;
    return new Problem('not-found', `there is no case ${JSON.stringify(request.case_id)}`);
  }

  /** What time brings: a request that was good once may be sent again after it. */
  private overFault(request: CallRequest, origin: CallOrigin): Problem | undefined {
    const deadline_ms = deadlineOf(request, origin.now_ms);
    if (deadline_ms !== null && deadline_ms <= origin.now_ms)
      return new Problem('deadline-passed', 'the deadline is in the past', {
        issues: [{ path: '/deadline', code: 'past', message: 'is in the past' }],
      });
    const found = request.case_id === undefined ? undefined : caseOf(this.configuration.state, origin.caller.tenant_id, request.case_id);
    return found?.state === 'closed' ? new Problem('conflict', 'the case is closed') : undefined;
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
    return identify({
      contract: tool.contract,
      inputs: request.inputs,
      tenant_id,
      principal_id: effectPrincipal(principal.id, origin.authority),
      case_id: request.case_id ?? null,
      run_id: request.context?.run_id ?? null,
      occurrence: request.occurrence ?? null,
      seq: request.context?.seq ?? null,
      request_id: request.context?.request_id ?? null,
      asked_version: request.version ?? null,
      principal_kind: principal.kind,
      header: origin.idempotency_key,
      partitions,
      secret,
      tenant_key: this.parts.keys.tenantKey(tenant_id),
      fresh_uuid: uuidv7(origin.now_ms),
    });
  }

  private complete(
    request: CallRequest,
    tool: ToolVersion,
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
    };
    return { meta, call };
  }
}

/** The result is marked as the tool and its sources are. The caller's own authority is shared by its calls and stays as it is. */
function marked(authority: Authority, markings: readonly string[]): Authority {
  return markings.length === 0 ? authority : { ...authority, markings: union(markings, authority.markings) };
}

/** One agent's calls for two users are two effects. */
function effectPrincipal(agentId: string, authority: Authority | undefined): string {
  return authority?.on_behalf_of ? `${agentId} for ${authority.on_behalf_of.id}` : agentId;
}
