import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, Refusal } from '@countersign/calls';
import { type OpenApiImport, openApiImportsOf } from '@countersign/domain';
import type { ImportOptions } from '@countersign/openapi';
import type { AddressRules, OutboundDoor } from '@countersign/outbound';
import { Vault } from '@countersign/store';
import { Inject, Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { ENDPOINT_ADDRESSES } from '../http-tools/http-tools.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { type CompiledImport, compiledImport } from './compiled-import.js';
import { DocumentSource } from './document-source.js';
import { originFault, prefixFault, RunningImports } from './import-limits.js';
import { optionsOf } from './import-options.js';
import { ImportPlanner, type PlannedImport } from './import-plan.js';
import { ImportWriter } from './import-writer.js';
import type { ImportAnswer, ImportedDocument, ImportPlan, ImportRequest, ImportSummary } from './openapi-imports.schemas.js';

/** Injection token: the way out to servers that tenants name (OutboundDoor). */
export const ENDPOINT_DOOR = Symbol('endpoint door');

const ANNOUNCED_WITHIN_MS = 10_000;
const LOOK_MS = 50;

const notFound = (name: string): Refusal => new Refusal('not-found', `there is no import ${name}`, { reason: 'openapi_import_not_found' });

/** Makes tools of the operations of OpenAPI documents. Only the tenant that imported a document sees and calls them. */
@Injectable()
export class OpenApiImportsService {
  private readonly running = new RunningImports();
  private readonly source: DocumentSource;
  private readonly writer: ImportWriter;

  constructor(
    private readonly configuration: ConfigurationService,
    private readonly vault: Vault,
    @Inject(ENDPOINT_ADDRESSES) private readonly addresses: AddressRules,
    @Inject(ENDPOINT_DOOR) door: OutboundDoor,
  ) {
    this.source = new DocumentSource(door);
    this.writer = new ImportWriter(configuration);
  }

  /** What an import would do. Records nothing. */
  async plan({ tenant_id }: Caller, request: ImportRequest): Promise<ImportPlan | Refusal> {
    return this.running.take(tenant_id, async () => {
      const read = await this.read(tenant_id, request);
      if (read instanceof Refusal) return read;
      const plan = new ImportPlanner(this.configuration.state, tenant_id, read.options.name).plan(read.compiled);
      return this.reportOf(tenant_id, read, plan);
    });
  }

  async run(caller: Caller, request: ImportRequest, headers: EditRequest): Promise<WithHeaders<ImportedDocument> | Refusal> {
    const { tenant_id } = caller;
    return this.running.take(tenant_id, async () => {
      const read = await this.read(tenant_id, request);
      if (read instanceof Refusal) return read;
      const written = await this.writer.write(caller, read, headers);
      if (written instanceof Refusal) return written;
      const { plan, edited } = written;
      const report = await this.reportOf(tenant_id, read, plan);
      const announced = await this.announced(tenant_id, plan);
      const changed_at = new Date(edited.fields.changed_at_ms).toISOString();
      const answer = { ...report, announced, changed_at, ...edited.everywhere };
      return { body: answer, headers: { etag: edited.etag, location: `/v1/openapi-imports/${report.name}` } };
    });
  }

  list(tenant_id: string, query: PageQuery): Page<ImportSummary> {
    const all = [...openApiImportsOf(this.configuration.state, tenant_id).imports.values()];
    return pageOf(
      all,
      placeOf(query),
      ({ name }) => name,
      (one) => ({ ...aboutOf(one), tools: toolsOf(one).length }),
    );
  }

  get(tenant_id: string, name: string): ImportAnswer | Refusal {
    const found = openApiImportsOf(this.configuration.state, tenant_id).imports.get(name);
    if (!found) return notFound(name);
    return { ...aboutOf(found), tools: toolsOf(found), options: JSON.parse(found.options_json) as Record<string, unknown> };
  }

  private async read(tenant_id: string, request: ImportRequest): Promise<{ compiled: CompiledImport; options: ImportOptions } | Refusal> {
    const known = openApiImportsOf(this.configuration.state, tenant_id);
    const options = optionsOf(request, known);
    const taken = prefixFault(this.configuration.state, tenant_id, options.name);
    if (taken) return taken;
    const document = await this.source.documentOf(request);
    if (document instanceof Refusal) return document;
    const compiled = await compiledImport({ ...document, options });
    if (compiled instanceof Refusal) return compiled;
    const { base_url } = compiled.document;
    const fault = this.addresses.fault(base_url);
    if (fault) return addressRefused(base_url, fault.message);
    return originFault(known, options.name, base_url) ?? { compiled, options };
  }

  private async reportOf(
    tenant_id: string,
    { compiled, options }: { compiled: CompiledImport; options: ImportOptions },
    plan: PlannedImport,
  ): Promise<ImportPlan> {
    const { title, document_version, digest, base_url, operations, unknown_names } = compiled.document;
    const about = { name: options.name, title, document_version, document_digest: digest, base_url, operations };
    const tools = plan.tools.map(({ planned }) => planned);
    const warnings = unknown_names.map((name) => `the document has no operation ${JSON.stringify(name.slice(0, 200))}`);
    return { ...about, tools, skipped: plan.skipped, removed: plan.removed, secrets: await this.secretsOf(tenant_id, tools), warnings };
  }

  private async secretsOf(tenant_id: string, tools: readonly { secrets: readonly string[] }[]): Promise<ImportPlan['secrets']> {
    const names = [...new Set(tools.flatMap(({ secrets }) => secrets))];
    return Promise.all(
      names.map(async (name) => ({
        name,
        is_set: (await this.vault.fact({ tenant_id, scope: 'workspace', owner: '', name })) !== undefined,
      })),
    );
  }

  /** Waits until executors have announced the tools: then they can be called. @returns how many they have */
  private async announced(tenant_id: string, { tools }: PlannedImport): Promise<number> {
    const until_ms = performance.now() + ANNOUNCED_WITHIN_MS;
    for (;;) {
      const known = this.configuration.state.by_tenant.get(tenant_id)?.tools;
      const count = tools.filter(({ planned: { name, version } }) => known?.get(name)?.some((one) => one.version === version)).length;
      if (count === tools.length || performance.now() > until_ms) return count;
      await sleep(LOOK_MS);
    }
  }
}

function addressRefused(base_url: string, why: string): Refusal {
  const message = `the server ${base_url} is refused: ${why}`;
  return new Refusal('invalid-request', message, { issues: [{ path: '/base_url', code: 'refused', message }] });
}

function aboutOf({ name, title, document_version, document_digest, base_url, by, changed_at_ms }: OpenApiImport) {
  const imported_by = { kind: by.kind, id: by.id };
  return { name, title, document_version, document_digest, base_url, imported_by, imported_at: new Date(changed_at_ms).toISOString() };
}

const toolsOf = ({ report_json }: OpenApiImport): ImportAnswer['tools'] => (JSON.parse(report_json) as Pick<ImportAnswer, 'tools'>).tools;
