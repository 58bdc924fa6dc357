import { type CallMapper, type CallSealer, CompiledContracts, identify, isTooDeep, Refusal } from '@countersign/calls';
import { canonicalText, type EditedInputs, isKeyOfRequest, isReadOnly, type ToolCall } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { catalogued, type ToolVersion } from '@countersign/domain';
import type { Configuration, TenantKeys } from '@countersign/process';

/** Validates the inputs of an edit as those of a call, and derives their key. */
export class EditService {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: TenantKeys,
    private readonly rulings: TenantRulings,
    private readonly parts: { sealer: CallSealer; mapper: CallMapper },
  ) {}

  get sealer(): CallSealer {
    return this.parts.sealer;
  }

  async edited(tenant_id: string, call: ToolCall, proposed: Record<string, unknown>): Promise<EditedInputs | Refusal> {
    if (call.compensates?.kind === 'own')
      return new Refusal('conflict', 'the inputs of an undo cannot be edited: they are those of the call it undoes', {
        reason: 'undo_not_editable',
      });
    const tool = catalogued(this.configuration.state, tenant_id, call.tool, call.version);
    if (!tool || tool.digest !== call.contract_digest)
      return new Refusal('conflict', 'the contract of the tool has changed since the call was made', { reason: 'tool_changed' });
    if (isTooDeep(proposed)) return new Refusal('invalid-inputs', 'the inputs are nested too deeply', { layer: 'input', issues: [] });
    const check = this.contracts.of(tool);
    if (typeof check === 'string')
      return new Refusal('conflict', `the input schema of ${tool.name} cannot be used: ${check}`, { reason: 'tool_schema_unusable' });
    const faults = check(proposed);
    const mapped = faults.length > 0 ? null : await this.parts.mapper.other(tenant_id, call, canonicalText(proposed));
    if (mapped instanceof Refusal) return mapped;
    const inputs = faults.length > 0 ? proposed : this.capped(tenant_id, tool, { ...call, mapped }, proposed);
    const issues = faults.length > 0 ? faults : check(inputs);
    if (issues[0])
      return new Refusal('invalid-inputs', `${issues[0].path || 'the inputs'}: ${issues[0].message}`, { layer: 'input', issues });
    const { case_id, run_id, occurrence, principal } = call;
    const scope = { tenant_id, case_id, run_id, occurrence, principal_id: principal.id };
    const rest = {
      seq: null,
      request_id: null,
      requested_version: null,
      principal_kind: call.principal.kind,
      header: undefined,
      partitions: 1,
      tenant_key: this.keys.tenantKey(tenant_id),
      fresh_uuid: call.idempotency_key,
      secret: call.sealed !== null,
    };
    const { inputs_json, inputs_digest, idempotency_key, discriminating_digest } = identify({
      contract: tool.contract,
      inputs,
      ...scope,
      ...rest,
    });
    // A key from a header, or a read-only call, does not derive its key from the inputs: the edit needs no second key.
    const own = isReadOnly(call.effect_class) || isKeyOfRequest(call.key_source);
    const runs = inputs === proposed ? mapped : await this.parts.mapper.other(tenant_id, call, inputs_json);
    if (runs instanceof Refusal) return runs;
    const key = own ? call.idempotency_key : idempotency_key;
    return { inputs_json, inputs_digest, idempotency_key: key, discriminating_digest, mapped: runs };
  }

  /** Applies the caps of the policy: approvers see and approve the inputs that would run. */
  private capped(tenant_id: string, tool: ToolVersion, call: ToolCall, inputs: Record<string, unknown>): Record<string, unknown> {
    const about = { ...call, inputs_json: canonicalText(inputs) };
    const { inputs_json: lowered, unmapped_json } = this.rulings.resolve(this.configuration.state, { tenant_id, tool, call: about });
    const inputs_json = lowered ?? unmapped_json;
    return inputs_json === undefined ? inputs : (JSON.parse(inputs_json) as Record<string, unknown>);
  }
}
