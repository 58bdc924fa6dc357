import { Refusal } from '@countersign/calls';
import { type ConfigurationState, type OpenApiImports, upstreamOf } from '@countersign/domain';
import type { PlannedImport } from './import-plan.js';

/** Documents that a tenant may have imported. */
export const IMPORTS_MAX = 50;
/** Versions of tools of all its documents; none is ever removed, so that a version keeps its meaning. */
export const VERSIONS_MAX = 2_500;
/** Characters of all their contracts and bindings: every service has them in memory. */
export const TOTAL_CHARS_MAX = 16_777_216;

const full = (message: string): Refusal => new Refusal('conflict', message, { reason: 'openapi_import_limit_reached' });

/** Why the tenant may not have these tools besides its own; undefined: it may. */
export function limitFault({ imports, tools, chars }: OpenApiImports, name: string, plan: PlannedImport): Refusal | undefined {
  const news = plan.tools.filter(({ planned }) => planned.change !== 'unchanged');
  const more = news.reduce((sum, { compiled }) => sum + compiled.contract_json.length + compiled.binding_json.length, 0);
  if (!imports.has(name) && imports.size >= IMPORTS_MAX) return full(`a tenant has at most ${IMPORTS_MAX} imported documents`);
  if (tools.size + news.length > VERSIONS_MAX)
    return full(
      `a tenant has at most ${VERSIONS_MAX} versions of imported tools; it has ${tools.size}, and this import adds ${news.length}`,
    );
  return chars + more > TOTAL_CHARS_MAX
    ? full(
        `the contracts of imported tools of a tenant have at most ${TOTAL_CHARS_MAX} characters; it has ${chars}, and this import adds ${more}`,
      )
    : undefined;
}

/** Secrets belong to the name of an import: under this name they must not reach another server. */
export function originFault({ imports }: OpenApiImports, name: string, base_url: string): Refusal | undefined {
  const known = imports.get(name);
  if (!known || new URL(known.base_url).origin === new URL(base_url).origin) return undefined;
  return new Refusal(
    'conflict',
    `the import ${name} is of ${new URL(known.base_url).origin}; its secrets must not reach ${new URL(base_url).origin}: use another name`,
    { reason: 'openapi_import_origin_changed' },
  );
}

/** Tools of an upstream of this name would have the names of the imported ones. */
export function prefixFault(state: ConfigurationState, tenant_id: string, name: string): Refusal | undefined {
  if (!upstreamOf(state, tenant_id, name)) return undefined;
  return new Refusal('conflict', `tools of the upstream ${name} have the names of this import: use another name`, {
    reason: 'tool_name_taken',
  });
}

const RUNNING_MAX = 2;

/** The imports that run in this process: one a tenant, and few in all, because each has a thread. */
export class RunningImports {
  private readonly tenants = new Set<string>();

  async take<T>(tenant_id: string, work: () => Promise<T>): Promise<T | Refusal> {
    if (this.tenants.has(tenant_id) || this.tenants.size >= RUNNING_MAX)
      return new Refusal('too-many-in-flight', 'other documents are being imported: retry later');
    this.tenants.add(tenant_id);
    try {
      return await work();
    } finally {
      this.tenants.delete(tenant_id);
    }
  }
}
