import { type ConfigurationState, type HttpTool, httpToolsOf, versionKey } from '@countersign/domain';
import type { OutboundDoor } from '@countersign/outbound';
import type { Clock, SealedSecrets } from '@countersign/process';
import { declaredAsks, HttpRuntime } from '@countersign/runtimes';
import { ToolError } from '@countersign/tool-kit';
import { LoadedTool } from '../tool-runs/loaded-tool.js';

/** Name of the adapter of tools at endpoints, for pins and reports. */
const ADAPTER = 'http-endpoint';

/** The tools that tenants registered with an endpoint of their own, as the configuration has them now. */
export class HttpTools {
  private readonly loaded = new WeakMap<HttpTool, LoadedTool>();

  constructor(
    private readonly configuration: { readonly state: ConfigurationState },
    private readonly secrets: Pick<SealedSecrets, 'open'>,
    private readonly door: OutboundDoor,
    private readonly clock: Pick<Clock, 'now_ms'>,
  ) {}

  /** Undefined: the tenant has no such tool. */
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined {
    const tool = httpToolsOf(this.configuration.state, tenant_id).get(versionKey(name, version));
    return tool && this.load(tenant_id, tool);
  }

  /** All of a tenant. */
  of(tenant_id: string): LoadedTool[] {
    return [...httpToolsOf(this.configuration.state, tenant_id).values()].map((tool) => this.load(tenant_id, tool));
  }

  private load(tenant_id: string, tool: HttpTool): LoadedTool {
    const known = this.loaded.get(tool);
    if (known) return known;
    const { contract, gated } = tool;
    const secret = () => this.secretOf(tenant_id, tool);
    const runtime = new HttpRuntime(contract, { door: this.door, now_ms: () => this.clock.now_ms(), secret });
    const origin = { adapter: ADAPTER, adapter_version: '', gated, evaluation_json: null, is_tenants: true };
    const loaded = new LoadedTool(runtime, { contract, asks: declaredAsks(contract) }, {}, origin);
    this.loaded.set(tool, loaded);
    return loaded;
  }

  private secretOf(tenant_id: string, { name, version, secret_sealed }: HttpTool): string {
    const secret = this.secrets.open(tenant_id, versionKey(name, version), secret_sealed);
    if (secret !== undefined) return secret;
    throw new ToolError('PROVIDER_ERROR', 'the signing secret of the endpoint cannot be decrypted: rotate it', {
      effect: 'none',
      retryable: false,
    });
  }
}
