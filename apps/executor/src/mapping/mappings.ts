import type { MappedInputs, ToolCall } from '@countersign/contracts';
import type { CompiledMapping } from '@countersign/mapping';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import { ToolError } from '@countersign/tool-kit';
import { CallMapping } from '../calls/call-mapping.js';
import type { Job } from '../calls/job.js';

/** The mappings of the calls of this executor. They map results back; inputs arrive mapped with the call. */
export class Mappings {
  constructor(private readonly tenants: TenantMappings) {}

  /**
   * The mapping of this call; undefined, at the cost of one lookup, if there is none. `fired`: the call is sent again or reconciled. A
   * promise only for a call that ran before mapped inputs were recorded. @throws a retryable ToolError if this process does not know the
   * version yet.
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

/** The inputs that an earlier release sent for a call. A call that has not run needs a decision on its mapped inputs. */
function sentBefore(made: MappedInputs | Unmappable, fired: boolean): MappedInputs {
  if (isUnmappable(made)) throw refused('the inputs cannot be mapped', { mapping_version: made.mapping_version, issues: made.issues });
  if (!fired) throw refused('no policy decision covers the mapped inputs', { mapping_version: made.mapping_version });
  return made;
}

const refused = (message: string, details: object): ToolError =>
  new ToolError('VALIDATION_ERROR', message, { details: { layer: 'mapping', ...details }, effect: 'none' });
