import type { MappedInputs, ToolCall } from '@countersign/contracts';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import type { CallSealer } from '../personal/call-sealer.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';
import { isTooDeep } from './compiled-contracts.js';

/** Why inputs are not taken that the tenant's mapping refuses: every field, and what the mapping says of it. */
export function mappingProblem({ mapping_version, issues }: Unmappable): Refusal {
  const [first] = issues;
  const found = issues.slice(0, 50).map(({ path, message }) => ({ path, code: 'mapping', message }));
  const detail = `the inputs cannot be mapped (mapping version ${mapping_version}): ${first?.path || 'the inputs'} ${first?.message}`;
  return new Refusal('invalid-inputs', detail, { layer: 'mapping', mapping_version, issues: found });
}

/** Makes the form of the inputs that runs, once, before a call or an edit is recorded: rules judge and people approve that form. */
export class CallMapper {
  constructor(
    readonly mappings: TenantMappings,
    private readonly sealer: Pick<CallSealer, 'forged'>,
  ) {}

  /** Undefined: no mapping of the tenant is in force for the tool. */
  map(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> | undefined {
    const { call, meta } = admitted;
    const made = this.mappings.inputs(meta.tenant_id, call, call.inputs_json);
    return made?.then((mapped) => {
      const checked = this.checked(meta.tenant_id, mapped);
      return checked instanceof Refusal ? checked : { ...admitted, call: { ...call, mapped: checked } };
    });
  }

  /** Other inputs of a recorded call, by its own version of the mapping; null: none. */
  async other(tenant_id: string, call: ToolCall, inputs_json: string): Promise<MappedInputs | null | Refusal> {
    const made = await this.mappings.otherInputs(tenant_id, call, inputs_json);
    return made ? this.checked(tenant_id, made) : null;
  }

  private checked(tenant_id: string, made: MappedInputs | Unmappable): MappedInputs | Refusal {
    if (isUnmappable(made)) return mappingProblem(made);
    if (isTooDeep(JSON.parse(made.inputs_json) as Record<string, unknown>)) {
      const issues = [{ path: '', message: 'are nested too deeply after the mapping' }];
      return mappingProblem({ mapping_version: made.mapping_version, issues });
    }
    return this.sealer.forged(tenant_id, made.inputs_json) ?? made;
  }
}
