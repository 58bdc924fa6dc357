import type { LoadedTool } from '../tool-runs/loaded-tool.js';

/** A kind of tools that single tenants have. */
export interface TenantToolSource {
  find(tenant_id: string, name: string, version: string): LoadedTool | undefined;
  of(tenant_id: string): Iterable<LoadedTool>;
}

/** The tools of all kinds that single tenants have. Of two with one name and version the first kind's counts. */
export class TenantTools implements TenantToolSource {
  constructor(private readonly sources: readonly TenantToolSource[]) {}

  find(tenant_id: string, name: string, version: string): LoadedTool | undefined {
    for (const source of this.sources) {
      const found = source.find(tenant_id, name, version);
      if (found) return found;
    }
    return undefined;
  }

  *of(tenant_id: string): Generator<LoadedTool, void> {
    for (const source of this.sources) yield* source.of(tenant_id);
  }
}
