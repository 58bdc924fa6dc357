import { canonicalText, type MappedInputs, sha256Hex, type ToolCall } from '@countersign/contracts';
import { type ConfigurationState, type MappingVersion, mappingAt, mappingMode, mappingVersions } from '@countersign/domain';
import { CompiledMapping, type MappingDefinition, type MappingIssue, type MappingMode } from '@countersign/mapping';

/** Limited to the size of a request body: both forms are in every record of the call. */
const MAPPED_BYTES_MAX = 1_048_576;

type CompiledModes = Partial<Record<MappingMode, CompiledMapping>>;

/** Inputs that a mapping does not accept: every refused field, as JSON Pointers into the agent's inputs. */
export interface Unmappable {
  mapping_version: number;
  issues: readonly MappingIssue[];
}

/** The fields of a call that its mapping needs. */
export type CallToMap = Pick<ToolCall, 'tool' | 'requested_at_ms'>;

export const isUnmappable = (made: MappedInputs | Unmappable): made is Unmappable => 'issues' in made;

/** The mappings of all tenants as folded by this process; each version is compiled at its first use. */
export class TenantMappings {
  private readonly compiled = new WeakMap<MappingVersion, CompiledModes>();

  constructor(private readonly configuration: { readonly state: ConfigurationState }) {}

  /** Maps the agent's inputs by the version in force when the call was requested; undefined, without a promise: none was in force. */
  inputs(tenant_id: string, call: CallToMap, inputs_json: string): Promise<MappedInputs | Unmappable> | undefined {
    const { state } = this.configuration;
    const version = mappingAt(state, tenant_id, call.tool, call.requested_at_ms);
    if (!version) return undefined;
    const own = (version.definition as Partial<MappingDefinition>).mode;
    return this.map(version, own ?? mappingMode(state, tenant_id), inputs_json);
  }

  /** Maps other inputs of a call by the version with which its own were mapped, whatever was published since. */
  otherInputs(
    tenant_id: string,
    call: CallToMap & Pick<ToolCall, 'mapped'>,
    inputs_json: string,
  ): Promise<MappedInputs | Unmappable> | undefined {
    if (!call.mapped) return this.inputs(tenant_id, call, inputs_json);
    const { mapping_version, permissive } = call.mapped;
    const version = this.version(tenant_id, call.tool, mapping_version);
    if (!version)
      return Promise.resolve({ mapping_version, issues: [{ path: '', message: 'this process does not know the version of the mapping' }] });
    return this.map(version, permissive ? 'permissive' : 'strict', inputs_json);
  }

  /** The mapping that created a recorded mapped form; undefined: this process has not folded it yet. */
  of(tenant_id: string, tool: string, { mapping_version, permissive }: MappedInputs): CompiledMapping | undefined {
    const version = this.version(tenant_id, tool, mapping_version);
    return version && this.compile(version, permissive ? 'permissive' : 'strict');
  }

  private version(tenant_id: string, tool: string, number: number): MappingVersion | undefined {
    const found = mappingVersions(this.configuration.state, tenant_id, tool).find(({ version }) => version === number);
    return found?.definition ? found : undefined;
  }

  private compile(version: MappingVersion, mode: MappingMode): CompiledMapping {
    const kept = this.compiled.get(version) ?? {};
    this.compiled.set(version, kept);
    kept[mode] ??= new CompiledMapping(version.definition as unknown as MappingDefinition, mode);
    return kept[mode];
  }

  private async map(version: MappingVersion, mode: MappingMode, inputs_json: string): Promise<MappedInputs | Unmappable> {
    const { version: mapping_version } = version;
    try {
      const { value, issues, warnings } = await this.compile(version, mode).toSystem(JSON.parse(inputs_json));
      if (issues.length > 0) return { mapping_version, issues };
      const mapped_json = canonicalText(value);
      if (Buffer.byteLength(mapped_json) > MAPPED_BYTES_MAX)
        return { mapping_version, issues: [{ path: '', message: `the mapped inputs are larger than ${MAPPED_BYTES_MAX} bytes` }] };
      const permissive = mode === 'permissive';
      return { inputs_json: mapped_json, inputs_digest: sha256Hex(mapped_json), mapping_version, permissive, warnings };
    } catch (cause) {
      const message = `the mapping is not valid: ${cause instanceof Error ? cause.message : String(cause)}`;
      return { mapping_version, issues: [{ path: '', message }] };
    }
  }
}
