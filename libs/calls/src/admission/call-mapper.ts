import type { MappedInputs, ToolCall } from '@countersign/contracts';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import type { CallSealer } from '../personal/call-sealer.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';
import { isTooDeep } from './compiled-contracts.js';

/** Lists every input field that the tenant's mapping refuses, with the reason. */
export function mappingProblem({ mapping_version, issues }: Unmappable): Refusal {
  const [first] = issues;
  const found = issues.slice(0, 50).map(({ path, message }) => ({ path, code: 'mapping', message }));
  const detail = `the inputs cannot be mapped (mapping version ${mapping_version}): ${first?.path || 'the inputs'} ${first?.message}`;
  return new Refusal('invalid-inputs', detail, { layer: 'mapping', mapping_version, issues: found });
}

/** Maps the inputs once, before a call or an edit is recorded. Rules judge and people approve the mapped form. */
export class CallMapper {
  constructor(
    readonly mappings: TenantMappings,
    private readonly sealer: Pick<CallSealer, 'forged'>,
  ) {}

  /** Undefined: the tenant has no mapping in force for the tool. */
  map(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> | undefined {
    const { call, meta } = admitted;
    const made = this.mappings.inputs(meta.tenant_id, call, call.inputs_json);
    return made?.then((mapped) => {
      const checked = this.checked(meta.tenant_id, mapped);
      return checked instanceof Refusal ? checked : { ...admitted, call: { ...call, mapped: checked } };
    });
  }

  /** Maps new inputs of a recorded call with the mapping version of that call. Null: the call has no mapping. */
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
