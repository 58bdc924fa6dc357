import { type Caller, noSuchTool, noSuchVersion, pickedOf, Refusal, type Seen, Views } from '@countersign/calls';
import { calledName, inRangeText, itemNames, type TenantToolVersion, toolNames, toolVersions } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { HealthService } from '../health/health.service.js';
import { pageOf } from '../lists/lists.js';
import { type Page, storeQuery } from '../lists/page-query.js';
import { TrustReader } from '../trust/trust-reader.js';
import { type MeasuredOf, toolRecord, versionRecord } from './tool-record.js';
import { searchTools } from './tool-search.js';
import { type ToolSearchQuery, type ToolsQuery, toolMembers } from './tools.schemas.js';

function shownBy(filters: ToolsQuery): (version: TenantToolVersion) => boolean {
  const lifecycles: readonly string[] = filters.lifecycle ?? ['active'];
  return ({ tool: { contract }, lifecycle }) =>
    (lifecycles.includes('all') || lifecycles.includes(lifecycle)) &&
    (filters.category === undefined || contract.category === filters.category) &&
    (filters.effect_class === undefined || contract.effect_class === filters.effect_class) &&
    (filters.pattern === undefined || contract.pattern === filters.pattern) &&
    (filters.capability === undefined || (contract.capabilities ?? []).includes(filters.capability)) &&
    (filters.marking === undefined || contract.markings.includes(filters.marking)) &&
    (filters.provider === undefined || contract.provider === filters.provider);
}

/** The registry of one tenant. Lists and searches show active versions by default. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly trust: TrustReader,
    private readonly views: Views,
    private readonly health: HealthService,
  ) {}

  async list(tenant_id: string, query: ToolsQuery, seen: Seen) {
    const measured = await this.measured(tenant_id, seen);
    const shown = shownBy(query);
    const { state } = this.configuration;
    const picked = toolMembers.picked(query);
    const names = toolNames(state, tenant_id).filter((name) => toolVersions(state, tenant_id, name).some(shown));
    const page = pageOf(
      names,
      storeQuery(query),
      (name) => name,
      (name) => {
        const record = toolRecord(state, tenant_id, name, measured, shown) ?? {};
        return picked ? pickedOf(record, picked) : record;
      },
    );
    const unhealthy_packs = await this.health.packs.unhealthy();
    return unhealthy_packs.length === 0 ? page : { ...page, unhealthy_packs };
  }

  /** Only tools that the caller can call: active versions whose scopes its key has. */
  async search({ tenant_id, scopes }: Caller, query: ToolSearchQuery, seen: Seen) {
    const measured = await this.measured(tenant_id, seen);
    const inRange = query.version === undefined ? () => true : inRangeText(query.version);
    if (!inRange) return new Refusal('invalid-request', 'a version must have the form `1.2.3`, `^1.2.0` or `~1.2.0`');
    const { state } = this.configuration;
    const newest = toolNames(state, tenant_id).flatMap((name) => {
      const fit = ({ tool, lifecycle }: TenantToolVersion) => lifecycle === 'active' && inRange(tool.version);
      return toolVersions(state, tenant_id, name).filter(fit).slice(0, 1);
    });
    const callable = newest.filter(({ tool }) => scopes.length === 0 || tool.contract.scopes.every((scope) => scopes.includes(scope)));
    const ranked = searchTools(callable, query, (tool, version) => measured(tool, version).trust_score);
    const items = ranked
      .slice(0, query.limit)
      .map(({ version, score }) => ({ score, ...versionRecord(state, tenant_id, version, measured) }));
    return { items, total_candidates: newest.length, total_filtered: ranked.length, next_cursor: null };
  }

  /** By its name or its alias. */
  async read(tenant_id: string, named: string, seen: Seen): Promise<object | Refusal> {
    const { state } = this.configuration;
    const name = calledName(state, tenant_id, named);
    const measured = await this.measured(tenant_id, seen);
    return toolRecord(state, tenant_id, name, measured) ?? noSuchTool(state, tenant_id, name);
  }

  /** All of them, newest first. */
  async versions(tenant_id: string, name: string, seen: Seen): Promise<Page<object> | Refusal> {
    const { state } = this.configuration;
    const versions = toolVersions(state, tenant_id, name);
    if (versions.length === 0) return noSuchTool(state, tenant_id, name);
    const measured = await this.measured(tenant_id, seen);
    return { items: versions.map((version) => versionRecord(state, tenant_id, version, measured)), next_cursor: null };
  }

  async version(tenant_id: string, name: string, version: string, seen: Seen): Promise<{ record: object; etag: string } | Refusal> {
    const { state, edits } = this.configuration;
    const found = toolVersions(state, tenant_id, name).find(({ tool }) => tool.version === version);
    if (!found) return noSuchVersion(state, tenant_id, name, version);
    const etag = edits.etag(tenant_id, itemNames.tool_version(name, version));
    return { record: versionRecord(state, tenant_id, found, await this.measured(tenant_id, seen)), etag };
  }

  /** Trust, ratings and usage of the tenant's tools, including what this gateway has reported before. */
  private async measured(tenant_id: string, seen: Seen): Promise<MeasuredOf> {
    await this.views.current(seen);
    return this.trust.measured(tenant_id);
  }
}
