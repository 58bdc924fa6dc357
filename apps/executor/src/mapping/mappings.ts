import { type ConfigurationState, type MappingVersion, mappingAt, mappingMode } from '@countersign/domain';
import { CompiledMapping, type Mapped, type MappingDefinition, type MappingMode } from '@countersign/mapping';
import { ToolError } from '@countersign/tool-kit';
import type { Job } from '../running/job.js';

type Kept = Partial<Record<MappingMode, CompiledMapping>>;

/** The tenants' mappings as this executor has folded them, each version compiled at its first use. */
export class Mappings {
  private readonly compiled = new WeakMap<MappingVersion, Kept>();

  constructor(private readonly configuration: { readonly state: ConfigurationState }) {}

  /** What stands between this call and its tool; undefined, at the cost of a look, where nothing does. */
  of(job: Job): CallMapping | undefined {
    const { state } = this.configuration;
    const found = mappingAt(state, job.tenant_id, job.call.tool, job.call.requested_at_ms);
    if (!found) return undefined;
    const mode = mappingMode(state, job.tenant_id);
    const kept = this.compiled.get(found) ?? {};
    this.compiled.set(found, kept);
    kept[mode] ??= new CompiledMapping(found.definition as unknown as MappingDefinition, mode);
    return new CallMapping(kept[mode], found.version, job.write);
  }
}

/** One call's way through a mapping: inputs out, results back. */
export class CallMapping {
  /** What was passed on or left out, for the caller. */
  readonly warnings: string[] = [];

  constructor(
    private readonly mapping: CompiledMapping,
    readonly version: number,
    private readonly write: boolean,
  ) {}

  /** What the system takes. @throws ToolError VALIDATION_ERROR that names every field; nothing has happened then */
  async inputs(inputs: unknown): Promise<unknown> {
    return this.kept(await this.mapping.toSystem(inputs), 'the inputs cannot be mapped', 'none');
  }

  /** What the agent gets. @throws ToolError VALIDATION_ERROR where it cannot be made: whether a write happened is found out otherwise */
  async result(output: unknown): Promise<unknown> {
    const mapped = this.mapping.toAgent(output, this.write);
    return mapped ? this.kept(await mapped, 'the result cannot be mapped', 'unknown') : output;
  }

  private kept({ value, issues, warnings }: Mapped, message: string, effect: 'none' | 'unknown'): unknown {
    const [first] = issues;
    if (first) {
      const details = { layer: 'mapping', mapping_version: this.version, issues };
      throw new ToolError('VALIDATION_ERROR', `${message}: ${first.path || 'it'} ${first.message}`, { details, effect });
    }
    this.warnings.push(...warnings);
    return value;
  }
}
