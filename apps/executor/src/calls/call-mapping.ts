import type { MappedInputs } from '@countersign/contracts';
import type { CompiledMapping, Mapped } from '@countersign/mapping';
import { ToolError } from '@countersign/tool-kit';

/** The mapping of one call: the inputs that run, and its results back. */
export class CallMapping {
  /** What was passed through or dropped, for the caller. */
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

  /** The inputs for the system: a new value each time, because a tool may modify it. */
  inputs(): unknown {
    return JSON.parse(this.mapped.inputs_json);
  }

  /**
   * The result for the agent. @throws ToolError VALIDATION_ERROR if it cannot be mapped; the outcome of a write is then determined
   * otherwise.
   */
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
