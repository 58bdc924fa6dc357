import type { ToolContract } from '@countersign/contracts';
import { type ConfigurationState, type OpenApiTool, openApiImportsOf, versionKey } from '@countersign/domain';
import type { ToolBinding } from '@countersign/openapi';
import type { OutboundDoor } from '@countersign/outbound';
import { declaredAsks, OpenApiRuntime } from '@countersign/runtimes';
import { LoadedTool } from '../tool-runs/loaded-tool.js';
import { EffectMatch } from './effect-match.js';

/** Name of the adapter of these tools, for pins and reports. */
const ADAPTER = 'openapi';

/** The tools of the OpenAPI documents that tenants imported, as the configuration has them now. Each is made ready when it is used first. */
export class OpenApiTools {
  private readonly loaded = new WeakMap<OpenApiTool, LoadedTool>();

  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly door: OutboundDoor,
  ) {}

  /** Undefined: the tenant has no such tool. */
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined {
    const tool = openApiImportsOf(this.configuration.state, tenant_id).tools.get(versionKey(name, version));
    return tool && this.load(tool);
  }

  /** All that imports of a tenant list, each made ready as the caller comes to it. */
  *of(tenant_id: string): Generator<LoadedTool, void> {
    for (const tool of [...openApiImportsOf(this.configuration.state, tenant_id).tools.values()])
      if (tool.is_imported) yield this.load(tool);
  }

  private load(tool: OpenApiTool): LoadedTool {
    const known = this.loaded.get(tool);
    if (known) return known;
    // Written by the gateway, which has checked both; the binding belongs to this version for good.
    const contract = { ...(JSON.parse(tool.contract_json) as ToolContract), version: tool.version };
    const binding = JSON.parse(tool.binding_json) as ToolBinding;
    const { reconcile } = binding;
    const match = reconcile && new EffectMatch(contract, { ...binding, reconcile });
    const runtime = new OpenApiRuntime(contract, binding, { door: this.door, matches: match && ((on) => match.judge(on)) });
    const origin = { adapter: ADAPTER, adapter_version: '', gated: false, evaluation_json: null, is_tenants: true };
    const loaded = new LoadedTool(runtime, { contract, asks: declaredAsks(contract) }, {}, origin);
    this.loaded.set(tool, loaded);
    return loaded;
  }
}
