import type { EventMap } from '@countersign/contracts';
import { versionKey } from '../../registry/record.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { OpenApiImports, OpenApiTool } from '../state/tools.js';

function importsOf(state: ConfigurationState, tenant_id: string): OpenApiImports {
  const part = tenantPart(state, tenant_id);
  part.openapi ??= { imports: new Map(), tools: new Map(), chars: 0 };
  return part.openapi;
}

/** The first record of a version counts: a version never changes its meaning. */
export function setOpenApiTool(state: ConfigurationState, event: EventMap['openapi_tool_set']): void {
  const { tool: name, version, import: from, operation, contract_json, binding_json, content_digest, by, changed_at_ms } = event;
  const known = importsOf(state, event.meta.tenant_id);
  const id = versionKey(name, version);
  if (known.tools.has(id)) return;
  known.tools.set(id, { name, version, import: from, operation, contract_json, binding_json, content_digest, by, changed_at_ms });
  known.chars += contract_json.length + binding_json.length;
}

/** The versions that an import lists; none if its report is unreadable. */
function listedIn(report_json: string): string[] {
  try {
    const { tools = [] } = JSON.parse(report_json) as { tools?: { name: string; version: string }[] };
    return tools.map(({ name, version }) => versionKey(name, version));
  } catch {
    return [];
  }
}

/** The tools of an import can be called from its record on: all of them, or none. */
export function setOpenApiImport(state: ConfigurationState, event: EventMap['openapi_import_set']): void {
  const { import: name, title, document_version, document_digest, base_url, options_json, report_json, by, changed_at_ms } = event;
  const { imports, tools } = importsOf(state, event.meta.tenant_id);
  for (const id of listedIn(report_json)) {
    const tool = tools.get(id);
    if (tool?.import === name) tool.is_imported = true;
  }
  imports.set(name, { name, title, document_version, document_digest, base_url, options_json, report_json, by, changed_at_ms });
}

const NONE: OpenApiImports = { imports: new Map(), tools: new Map(), chars: 0 };

/** The imported documents of a tenant, and their tools. */
export function openApiImportsOf(state: ConfigurationState, tenant_id: string): OpenApiImports {
  return state.by_tenant.get(tenant_id)?.openapi ?? NONE;
}

/** The newest version of each tool of an import, by its name. */
export function newestOpenApiTools(state: ConfigurationState, tenant_id: string, name: string): Map<string, OpenApiTool> {
  const newest = new Map<string, OpenApiTool>();
  for (const tool of openApiImportsOf(state, tenant_id).tools.values()) if (tool.import === name) newest.set(tool.name, tool);
  return newest;
}
