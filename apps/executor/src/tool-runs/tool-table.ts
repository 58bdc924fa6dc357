import type { RuntimeTool } from '@countersign/runtimes';
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
    this.add(tools);
  }

  /** New code of a pack: its tools take the place of those that it had before. */
  replace(before: readonly RuntimeTool[], tools: ReadonlyMap<string, LoadedTool>): void {
    for (const { contract } of before) {
      const versions = this.byName.get(contract.name);
      versions?.delete(contract.version);
      if (versions?.size === 0) this.byName.delete(contract.name);
    }
    this.add(tools);
  }

  private add(tools: ReadonlyMap<string, LoadedTool>): void {
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
