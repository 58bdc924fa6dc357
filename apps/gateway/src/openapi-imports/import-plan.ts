import type { ToolContract } from '@countersign/contracts';
import { type ConfigurationState, httpToolsOf, newestOpenApiTools, type OpenApiTool } from '@countersign/domain';
import type { CompiledTool, SkippedOperation } from '@countersign/openapi';
import type { CompiledImport } from './compiled-import.js';
import type { ImportPlan, PlannedOpenApiTool } from './openapi-imports.schemas.js';
import { nextVersion } from './tool-versions.js';

/** What an import changes: its tools with their versions, and those that it no longer has. */
export interface PlannedImport extends Pick<ImportPlan, 'removed' | 'skipped'> {
  tools: { planned: PlannedOpenApiTool; compiled: CompiledTool }[];
}

/** Compares a compiled document with the tools that the tenant has. */
export class ImportPlanner {
  private readonly newest: ReadonlyMap<string, OpenApiTool>;
  private readonly taken: ReadonlySet<string>;

  constructor(
    private readonly state: ConfigurationState,
    tenant_id: string,
    name: string,
  ) {
    this.newest = newestOpenApiTools(state, tenant_id, name);
    this.taken = new Set([...httpToolsOf(state, tenant_id).values()].map((tool) => tool.name));
  }

  plan({ tools, skipped }: CompiledImport): PlannedImport {
    const refused: SkippedOperation[] = [...skipped];
    const planned: PlannedImport['tools'] = [];
    for (const compiled of tools) {
      const reason = this.nameFault(compiled.name);
      if (reason === undefined) planned.push({ planned: this.planned(compiled), compiled });
      else refused.push({ operation: compiled.operation, reason });
    }
    const names = new Set(planned.map(({ planned: { name } }) => name));
    const removed = [...this.newest.values()].filter((tool) => !names.has(tool.name));
    return { tools: planned, skipped: refused, removed: removed.map(({ name, version, operation }) => ({ name, version, operation })) };
  }

  private planned(compiled: CompiledTool): PlannedOpenApiTool {
    const { name, operation, effect_class, secrets, pages, warnings } = compiled;
    return { name, operation, effect_class, secrets, pages: pages as PlannedOpenApiTool['pages'], warnings, ...this.versionOf(compiled) };
  }

  private versionOf({ name, contract_json, content_digest }: CompiledTool): Pick<PlannedOpenApiTool, 'version' | 'change'> {
    const known = this.newest.get(name);
    if (!known) return { version: '1.0.0', change: 'new' };
    if (known.content_digest === content_digest) return { version: known.version, change: 'unchanged' };
    return { version: nextVersion(known, JSON.parse(contract_json) as ToolContract), change: 'changed' };
  }

  private nameFault(name: string): string | undefined {
    if (this.state.tools.has(name)) return `the name ${name} belongs to a tool of a pack of this installation`;
    return this.taken.has(name) ? `the name ${name} belongs to a tool at an endpoint of this tenant` : undefined;
  }
}
