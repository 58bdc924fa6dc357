import type { LoadedTool } from './loaded-tool.js';

/** Tools that single tenants have. */
interface TenantTools {
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined;
}

/** The tools that this executor runs: those of packs for every tenant, then those that a tenant alone has. */
export class ToolTable {
  private readonly byName = new Map<string, Map<string, LoadedTool>>();

  constructor(
    tools: ReadonlyMap<string, LoadedTool>,
    private readonly others: TenantTools,
  ) {
    for (const tool of tools.values()) {
      const { name, version } = tool.contract;
      this.byName.set(name, (this.byName.get(name) ?? new Map<string, LoadedTool>()).set(version, tool));
    }
  }

  /** A tool of a pack hides tools of the same name, in every version, as the registry does. */
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined {
    const versions = this.byName.get(name);
    return versions ? versions.get(version) : this.others.find(tenant_id, name, version);
  }
}
