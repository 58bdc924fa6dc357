import type { MappedInputs, ToolCall } from '@countersign/contracts';
import { type CompiledMapping, type Mapped } from '@countersign/mapping';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import { ToolError } from '@countersign/tool-kit';
import type { Job } from '../running/job.js';

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
    const message = `version ${mapped.mapping_version} of the mapping is not known to this executor yet`;
    throw new ToolError('PROVIDER_ERROR', message, { retryable: true, effect: 'none' });
  }

  private compiled(tenant_id: string, tool: string, mapped: MappedInputs): CompiledMapping | undefined {
    try {
      return this.tenants.of(tenant_id, tool, mapped);
    } catch {
      throw refused('the mapping cannot be used', { mapping_version: mapped.mapping_version });
    }
  }
}

/** What a call that was fired by an earlier release was sent with; nothing else runs that nobody has judged. */
function sentBefore(made: MappedInputs | Unmappable, fired: boolean): MappedInputs {
  if (isUnmappable(made)) throw refused('the inputs cannot be mapped', { mapping_version: made.mapping_version, issues: made.issues });
  if (!fired) throw refused('nobody has judged what the mapping makes of the inputs', { mapping_version: made.mapping_version });
  return made;
}

const refused = (message: string, details: object): ToolError =>
  new ToolError('VALIDATION_ERROR', message, { details: { layer: 'mapping', ...details }, effect: 'none' });

/** One call's way through a mapping: the inputs that run, and its results back. */
export class CallMapping {
  /** What was passed on or left out, for the caller. */
  readonly warnings: string[];
  readonly version: number;

  constructor(
    private readonly mapping: CompiledMapping,
    private readonly mapped: MappedInputs,
    private readonly write: boolean,
  ) {
    this.warnings = [...mapped.warnings];
    this.version = mapped.mapping_version;
  }

  /** What the system takes: a new value each time, so that a tool may change what it gets. */
  inputs(): unknown {
    return JSON.parse(this.mapped.inputs_json);
  }

  /** What the agent gets. @throws ToolError VALIDATION_ERROR where it cannot be made: whether a write happened is found out otherwise */
  async result(output: unknown): Promise<unknown> {
    const mapped = this.mapping.toAgent(output, this.write);
    return mapped ? this.kept(await mapped) : output;
  }

  private kept({ value, issues, warnings }: Mapped): unknown {
    const [first] = issues;
    if (first) {
      const details = { layer: 'mapping', mapping_version: this.version, issues };
      throw new ToolError('VALIDATION_ERROR', `the result cannot be mapped: ${first.path || 'it'} ${first.message}`, {
        details,
        effect: 'unknown',
      });
    }
    this.warnings.push(...warnings);
    return value;
  }
}
