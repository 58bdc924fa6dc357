import { type Caller, Refusal } from '@countersign/calls';
import { itemNames, openApiImportsOf } from '@countersign/domain';
import type { ImportOptions } from '@countersign/openapi';
import { ConfigurationService, type EditedEverywhere, type EditRequest } from '../configuration/configuration.service.js';
import type { CompiledImport } from './compiled-import.js';
import { limitFault, originFault, prefixFault } from './import-limits.js';
import { ImportPlanner, type PlannedImport } from './import-plan.js';

/** Tools whose records are written at once. */
const BATCH_MAX = 16;
/** Operations that are no tools, as they are kept with an import; the answer of the request has all. */
const KEPT_SKIPPED_MAX = 100;

/** An import that took effect. */
export interface WrittenImport {
  plan: PlannedImport;
  edited: EditedEverywhere<'openapi_import_set'>;
}

/**
 * Records an import: first the new versions of its tools, then the import itself. A crash between them leaves versions that no
 * executor announces, and that the next import of the document finds unchanged.
 */
export class ImportWriter {
  constructor(private readonly configuration: ConfigurationService) {}

  async write(
    caller: Caller,
    { compiled, options }: { compiled: CompiledImport; options: ImportOptions },
    request: EditRequest,
  ): Promise<WrittenImport | Refusal> {
    const { tenant_id } = caller;
    let first: PlannedImport | undefined;
    const draft = async () => {
      const known = openApiImportsOf(this.configuration.state, tenant_id);
      const plan = new ImportPlanner(this.configuration.state, tenant_id, options.name).plan(compiled);
      const taken = prefixFault(this.configuration.state, tenant_id, options.name);
      const fault = taken ?? originFault(known, options.name, compiled.document.base_url) ?? limitFault(known, options.name, plan);
      if (fault) return fault;
      await this.writeTools(caller, options.name, plan);
      // A later round finds unchanged what this one has written.
      first ??= plan;
      return this.fieldsOf(caller, { compiled, options }, plan);
    };
    const edit = { tenant_id, type: 'openapi_import_set' as const, item: itemNames.openapi_import(options.name), draft };
    const edited = await this.configuration.editEverywhere(request, edit);
    if (edited instanceof Refusal) return edited;
    return { plan: first as PlannedImport, edited };
  }

  private async writeTools({ tenant_id, principal: by }: Caller, name: string, { tools }: PlannedImport): Promise<void> {
    const news = tools.filter(({ planned }) => planned.change !== 'unchanged');
    const changed_at_ms = this.configuration.now_ms();
    for (let at = 0; at < news.length; at += BATCH_MAX) {
      const batch = news.slice(at, at + BATCH_MAX);
      await Promise.all(
        batch.map(({ planned, compiled }) => {
          const { name: tool, version, operation } = planned;
          const { contract_json, binding_json, content_digest } = compiled;
          const fields = { tool, version, import: name, operation, contract_json, binding_json, content_digest, by, changed_at_ms };
          return this.configuration.writer.set(tenant_id, 'openapi_tool_set', fields);
        }),
      );
    }
  }

  private fieldsOf(
    { principal: by }: Caller,
    { compiled, options }: { compiled: CompiledImport; options: ImportOptions },
    plan: PlannedImport,
  ) {
    const { title, document_version, digest, base_url } = compiled.document;
    const { name, ...declared } = options;
    const tools = plan.tools.map(({ planned: { name: tool, version, operation } }) => ({ name: tool, version, operation }));
    const report = { tools, skipped: plan.skipped.slice(0, KEPT_SKIPPED_MAX) };
    return {
      ...{ import: name, title, document_version, document_digest: digest, base_url },
      options_json: JSON.stringify(declared),
      report_json: JSON.stringify(report),
      ...{ by, changed_at_ms: this.configuration.now_ms() },
    };
  }
}
