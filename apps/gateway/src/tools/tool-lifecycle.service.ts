import { type Caller, noSuchVersion, Refusal, type Seen, Views } from '@countersign/calls';
import { itemNames, promotionFault, stateOfVersion, suspension, type ToolVersion, toolVersions } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { always } from '../configuration/configuration-edits.js';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import { TrustReader } from '../trust/trust-reader.js';
import type { AuditRequest, ChangedLifecycle, EvaluationRequest, LifecycleRequest, PinRequest } from './tool-lifecycle.schemas.js';
import { versionRecord } from './tool-record.js';

type EditRequest = ConditionalRequest & PatientRequest;

/** A version of a tool, and the caller. */
export interface NamedVersion {
  caller: Caller;
  name: string;
  version: string;
  seen: Seen;
}

/** A response and the ETag of its version; `record` is undefined if the version no longer exists. */
export interface TaggedRecord<T = object> {
  record: T | undefined;
  etag: string;
}

function countFault({ passed, failed, cases }: EvaluationRequest): string | undefined {
  const counted = cases.filter((each) => each.passed).length;
  return passed === counted && failed === cases.length - counted
    ? undefined
    : `passed does not match the cases: ${counted} of ${cases.length} passed`;
}

/** Lifecycle decisions about a version, and their evidence. */
@Injectable()
export class ToolLifecycleService {
  constructor(
    private readonly policies: PolicyService,
    private readonly trust: TrustReader,
    private readonly views: Views,
  ) {}

  /** Promotes, deprecates or blocks a version. */
  async decide(named: NamedVersion, body: LifecycleRequest, request: EditRequest): Promise<TaggedRecord<ChangedLifecycle> | Refusal> {
    const { state, sunset_at = null, reason = null, use_instead = null } = body;
    const draft = () => {
      const tool = this.tool(named);
      if (tool instanceof Refusal) return tool;
      const sunset_at_ms = sunset_at === null ? null : Date.parse(sunset_at);
      const decided = { tool: tool.name, version: tool.version, state, sunset_at_ms, reason, use_instead };
      return this.lifecycleFault(named.caller, tool, body) ?? { ...decided, ...this.by(named) };
    };
    const edited = await this.policies.editEverywhere(request, { ...this.itemOf(named), type: 'tool_lifecycle_set', draft });
    if (edited instanceof Refusal) return edited;
    const { tool: name, version, changed_at_ms } = edited.fields;
    const changed_at = new Date(changed_at_ms).toISOString();
    return { record: { name, version, state, sunset_at, reason, use_instead, changed_at, ...edited.everywhere }, etag: edited.etag };
  }

  /** Accepts the current contract of a version. */
  async pin(named: NamedVersion, { pin: accepted }: PinRequest, request: EditRequest): Promise<TaggedRecord | Refusal> {
    const draft = () => {
      const tool = this.tool(named);
      if (tool instanceof Refusal) return tool;
      const { pin, name, version } = tool;
      if (accepted !== pin)
        return new Refusal('conflict', 'the registered contract has another pin: read the version again', {
          reason: 'tool_contract_changed',
          pin,
        });
      const fault = promotionFault(this.state, named.caller.tenant_id, tool);
      if (fault) return new Refusal('not-promoted', `${name}@${version} cannot be accepted: ${fault}`);
      return { tool: name, version, pin, ...this.by(named) };
    };
    const edited = await this.policies.editEverywhere(request, { ...this.itemOf(named), type: 'tool_pin_set', draft });
    if (edited instanceof Refusal) return edited;
    return { record: await this.record(named, edited.everywhere), etag: edited.etag };
  }

  /** Records the result of a version's evaluation pack. */
  async evaluate(named: NamedVersion, body: EvaluationRequest): Promise<TaggedRecord | Refusal> {
    const tool = this.tool(named);
    if (tool instanceof Refusal) return tool;
    const { name, version, digest } = tool;
    if (body.tool !== name || body.version !== version) return new Refusal('invalid-request', 'the result is for another version');
    const fault = countFault(body);
    if (fault) return new Refusal('invalid-request', fault);
    if (body.contract_digest !== digest)
      return new Refusal('conflict', 'the result is for another contract than the registered one', {
        reason: 'tool_contract_changed',
        contract_digest: digest,
      });
    const { contract_digest, passed, failed, cases, verified_at } = body;
    const result = { contract_digest, passed, failed, cases_json: JSON.stringify(cases), verified_at_ms: Date.parse(verified_at) };
    const { tenant_id, item } = this.itemOf(named);
    const fields = { tool: name, version, ...result, ...this.by(named) };
    this.views.answered.note(await this.policies.configuration.writer.set(tenant_id, 'tool_evaluation_set', fields));
    return { record: await this.record(named), etag: this.policies.configuration.edits.etag(tenant_id, item) };
  }

  /**
   * Records an external audit. A contract that describes its own audit is only a self-assessment; the keeper of the evidence records an
   * audit by others.
   */
  async audit(named: NamedVersion, body: AuditRequest, request: ConditionalRequest): Promise<TaggedRecord | Refusal> {
    const { audit_status, auditor = null, report = null } = body;
    const draft = () => {
      const tool = this.tool(named);
      if (tool instanceof Refusal) return tool;
      if (audit_status === 'third_party' && (auditor === null || report === null))
        return new Refusal('invalid-request', '`auditor` and `report` are required for a third_party audit');
      return { tool: tool.name, version: tool.version, audit_status, auditor, report, ...this.by(named) };
    };
    const edit = { ...this.itemOf(named), type: 'tool_audit_set' as const, draft };
    const edited = await this.policies.configuration.edits.edit(request, edit);
    if (edited instanceof Refusal) return edited;
    this.views.answered.note(edited.position);
    return { record: await this.record(named), etag: edited.etag };
  }

  private get state() {
    return this.policies.configuration.state;
  }

  private by({ caller }: NamedVersion) {
    return { by: caller.principal, changed_at_ms: this.policies.configuration.clock.now_ms() };
  }

  private itemOf({ caller, name, version }: NamedVersion): { tenant_id: string; item: string; exists: () => true } {
    return { tenant_id: caller.tenant_id, item: itemNames.tool_version(name, version), exists: always };
  }

  private tool({ caller, name, version }: NamedVersion): ToolVersion | Refusal {
    const found = toolVersions(this.state, caller.tenant_id, name).find(({ tool }) => tool.version === version);
    return found ? found.tool : noSuchVersion(this.state, caller.tenant_id, name, version);
  }

  /** A version becomes active or deprecated only with a passed evaluation of its current contract. */
  private lifecycleFault({ tenant_id }: Caller, tool: ToolVersion, body: LifecycleRequest): Refusal | undefined {
    if (body.state === 'blocked') return undefined;
    const ground = suspension(this.state, tenant_id, tool) ?? promotionFault(this.state, tenant_id, tool);
    if (ground) return new Refusal('not-promoted', `${tool.name}@${tool.version} cannot be ${body.state}: ${ground}`);
    if (body.sunset_at === undefined) return undefined;
    if (body.state === 'active') return new Refusal('invalid-request', 'only a deprecated version has a sunset_at');
    const is_past = Date.parse(body.sunset_at) <= this.policies.configuration.clock.now_ms();
    return is_past ? new Refusal('invalid-request', 'sunset_at is in the past: set the state to blocked instead') : undefined;
  }

  private async record(named: NamedVersion, everywhere: object = {}): Promise<object | undefined> {
    const { tenant_id } = named.caller;
    const tool = this.tool(named);
    if (tool instanceof Refusal) return undefined;
    await this.views.current(named.seen);
    const measured = await this.trust.measured(tenant_id);
    const lifecycle = stateOfVersion(this.state, tenant_id, tool);
    return { ...versionRecord(this.state, tenant_id, { tool, lifecycle }, measured), ...everywhere };
  }
}
