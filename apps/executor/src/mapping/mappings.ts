import type { MappedInputs, ToolCall } from '@countersign/contracts';
import type { CompiledMapping } from '@countersign/mapping';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import { ToolError } from '@countersign/tool-kit';
import { CallMapping } from '../calls/call-mapping.js';
import type { Job } from '../calls/job.js';

/** The mappings that the calls of this executor were mapped with. It maps results back; inputs come mapped with the call. */
export class Mappings {
  constructor(private readonly tenants: TenantMappings) {}

  /**
   * What stands between this call and its tool; undefined, at the cost of a look, where nothing does. `fired`: the call is
   * sent again, or asked about. A promise only for a call that was fired before mapped inputs were on the record.
   * @throws ToolError that is retryable where this process has not heard of the version yet
   */
  of(job: Job, fired: boolean): CallMapping | Promise<CallMapping> | undefined {
    const { call } = job.readable;
    if (call.mapped) return this.by(job, call, call.mapped);
    const late = this.tenants.inputs(job.tenant_id, call, call.inputs_json);
    return late?.then((made) => this.by(job, call, sentBefore(made, fired)));
  }

  private by(job: Job, call: ToolCall, mapped: MappedInputs): CallMapping {
    const compiled = this.compiled(job.tenant_id, call.tool, mapped);
    if (compiled) return new CallMapping(compiled, mapped, job.write);
    const message = `this executor has not read version ${mapped.mapping_version} of the mapping yet`;
    throw new ToolError('PROVIDER_ERROR', message, { retryable: true, effect: 'none' });
  }

  private compiled(tenant_id: string, tool: string, mapped: MappedInputs): CompiledMapping | undefined {
    try {
      return this.tenants.of(tenant_id, tool, mapped);
    } catch {
      throw refused('the mapping is not valid', { mapping_version: mapped.mapping_version });
    }
  }
}

/** The inputs that an earlier release sent for a call; nothing else runs without a decision. */
function sentBefore(made: MappedInputs | Unmappable, fired: boolean): MappedInputs {
  if (isUnmappable(made)) throw refused('the inputs cannot be mapped', { mapping_version: made.mapping_version, issues: made.issues });
  if (!fired) throw refused('no policy decision covers the mapped inputs', { mapping_version: made.mapping_version });
  return made;
}

const refused = (message: string, details: object): ToolError =>
  new ToolError('VALIDATION_ERROR', message, { details: { layer: 'mapping', ...details }, effect: 'none' });
