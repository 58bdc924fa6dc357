import type { ToolContract } from '@countersign/contracts';
import { type ConfigurationState, catalogued, upstreamsOf, upstreamToolsOf } from '@countersign/domain';
import { declaredAsks } from '@countersign/runtimes';
import { LoadedTool } from '../tool-runs/loaded-tool.js';
import type { UpstreamCalls } from './upstream-calls.js';
import { UpstreamRuntime } from './upstream-runtime.js';

/** Name of the adapter of upstream tools, for pins and reports. */
const ADAPTER = 'mcp-upstream';
const ORIGIN = { adapter: ADAPTER, adapter_version: '', gated: false, evaluation_json: null, is_tenants: true };

/** The tools of the upstreams of tenants, as the configuration and the listings have them now. */
export class UpstreamTools {
  private readonly loaded = new WeakMap<ToolContract, LoadedTool>();

  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly calls: UpstreamCalls,
  ) {}

  /**
   * A version as it is in the registry, also one that no longer stands: what it began must be found and undone by its own contract.
   * Undefined: the tenant has no such tool of an upstream.
   */
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined {
    const contract = catalogued(this.configuration.state, tenant_id, name, version)?.contract;
    return contract?.upstream ? this.load(contract) : undefined;
  }

  /** Those that stand, of all upstreams of a tenant. */
  of(tenant_id: string): LoadedTool[] {
    const { state } = this.configuration;
    const tools = [...upstreamsOf(state, tenant_id).keys()].flatMap((upstream) => upstreamToolsOf(state, tenant_id, upstream));
    return tools.flatMap(({ contract }) => (contract ? [this.load(contract)] : []));
  }

  private load(contract: ToolContract): LoadedTool {
    const known = this.loaded.get(contract);
    if (known) return known;
    const loaded = new LoadedTool(new UpstreamRuntime(contract, this.calls), { contract, asks: declaredAsks(contract) }, {}, ORIGIN);
    this.loaded.set(contract, loaded);
    return loaded;
  }
}
