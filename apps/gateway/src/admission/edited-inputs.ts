import { type EditedInputs, isReadOnly, type ToolCall } from '@countersign/contracts';
import { catalogued } from '@countersign/domain';
import type { Configuration, TenantKeys } from '@countersign/process';
import { Problem } from '../http/problem.js';
import { CompiledContracts, isTooDeep } from './compiled-contracts.js';
import { identify } from './effect-identity.js';

/** Checks the inputs that an approver wants instead, as those of a call are checked, and says which key they have. */
export class EditDesk {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Configuration,
    private readonly keys: TenantKeys,
  ) {}

  edited(tenant_id: string, call: ToolCall, inputs: Record<string, unknown>): EditedInputs | Problem {
    const tool = catalogued(this.configuration.state, call.tool, call.version);
    if (!tool || tool.digest !== call.contract_digest) return new Problem('conflict', 'the tool is not what it was when the call was made');
    if (isTooDeep(inputs)) return new Problem('invalid-inputs', 'the inputs are nested too deeply', { layer: 'input', issues: [] });
    const check = this.contracts.of(tool);
    if (typeof check === 'string') return new Problem('conflict', `the input schema of ${tool.name} cannot be used: ${check}`);
    const issues = check(inputs);
    if (issues[0])
      return new Problem('invalid-inputs', `${issues[0].path || 'the inputs'}: ${issues[0].message}`, { layer: 'input', issues });
    const { case_id, run_id, occurrence, principal } = call;
    const scope = { tenant_id, case_id, run_id, occurrence, principal_id: principal.id };
    const rest = {
      seq: null,
      header: undefined,
      partitions: 1,
      tenant_key: this.keys.tenantKey(tenant_id),
      fresh_uuid: call.idempotency_key,
    };
    const { inputs_json, inputs_digest, idempotency_key, discriminating_digest } = identify({
      contract: tool.contract,
      inputs,
      ...scope,
      ...rest,
    });
    // A header key and a read have no key of their inputs: there is no second one to hold.
    const own = isReadOnly(call.effect_class) || call.key_source === 'header';
    return { inputs_json, inputs_digest, idempotency_key: own ? call.idempotency_key : idempotency_key, discriminating_digest };
  }
}
