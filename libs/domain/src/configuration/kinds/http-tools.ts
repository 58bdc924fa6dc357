import type { EventMap, ToolContract } from '@countersign/contracts';
import { versionKey } from '../../registry/record.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { HttpTool } from '../state/tools.js';

function contractIn({ tool, version, contract_json }: EventMap['http_tool_set']): ToolContract | undefined {
  try {
    const contract = JSON.parse(contract_json) as ToolContract | null;
    return contract?.name === tool && contract.version === version ? contract : undefined;
  } catch {
    return undefined;
  }
}

/** An unreadable contract is ignored. */
export function setHttpTool(state: ConfigurationState, event: EventMap['http_tool_set']): void {
  const contract = contractIn(event);
  if (!contract) return;
  const { tool: name, version, secret_sealed, gated, by, changed_at_ms } = event;
  const part = tenantPart(state, event.meta.tenant_id);
  part.http_tools ??= new Map();
  part.http_tools.set(versionKey(name, version), { name, version, contract, secret_sealed, gated, by, changed_at_ms });
}

const NONE: ReadonlyMap<string, HttpTool> = new Map();

/** The HTTP tools of a tenant by `tool@version`. */
export function httpToolsOf(state: ConfigurationState, tenant_id: string): ReadonlyMap<string, HttpTool> {
  return state.by_tenant.get(tenant_id)?.http_tools ?? NONE;
}
