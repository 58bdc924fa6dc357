import { type Caller, Refusal, Views } from '@countersign/calls';
import { type Counter, itemNames, type Limit, limitsOf, limitVersions, MICRO, slotAt, usedAt } from '@countersign/domain';
import { defaultLimits } from '@countersign/policy';
import { type CounterRow, cursorText, readCounters } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { Everywhere } from '../configuration/running-instances.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { type LimitRequest, limitFault, nextVersion } from './limit-request.js';
import type { LimitAnswer, LimitCounter } from './limits.schemas.js';

type NewLimit = Omit<Limit, 'by' | 'changed_at_ms'>;

/** A change of a limit that took effect. */
type ChangedLimit = WithHeaders<LimitAnswer & Everywhere>;

const noSuchLimit = (): Refusal => new Refusal('not-found', 'the limit does not exist', { reason: 'limit_not_found' });
const isDefault = ({ version }: Pick<Limit, 'version'>): boolean => version === 0;

function answerOf({ by, changed_at_ms, ...rest }: Limit): LimitAnswer {
  if (isDefault(rest)) return { ...rest, default: true, by: null, changed_at: null };
  return { ...rest, default: false, by: by.id, changed_at: new Date(changed_at_ms).toISOString() };
}

/** The guard limits of tenants, their versions and counters. */
@Injectable()
export class LimitsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  list(tenant_id: string, query: PageQuery): Page<LimitAnswer & { etag: string }> {
    const limits = [...defaultLimits, ...limitsOf(this.configuration.state, tenant_id)];
    return pageOf(
      limits,
      placeOf(query),
      (limit) => limit.limit_id,
      (limit) => ({ ...answerOf(limit), etag: this.etag(tenant_id, limit.limit_id) }),
    );
  }

  read(tenant_id: string, limit_id: string): WithHeaders<LimitAnswer> | Refusal {
    const limit = this.find(tenant_id, limit_id);
    return limit ? { body: answerOf(limit), headers: { etag: this.etag(tenant_id, limit_id) } } : noSuchLimit();
  }

  versions(tenant_id: string, limit_id: string): Page<LimitAnswer> | Refusal {
    const versions = limitVersions(this.configuration.state, tenant_id, limit_id);
    return versions.length === 0 ? noSuchLimit() : { items: versions.map(answerOf), next_cursor: null };
  }

  /** Responds once the running instances have it, or the caller's wait is over. */
  async set({ tenant_id, principal }: Caller, limit_id: string, body: LimitRequest, request: EditRequest): Promise<ChangedLimit | Refusal> {
    const newest = (): Limit | undefined => limitVersions(this.configuration.state, tenant_id, limit_id)[0];
    return limitFault(body) ?? this.edit({ tenant_id, principal }, limit_id, request, () => nextVersion(limit_id, body, newest()));
  }

  remove(caller: Caller, limit_id: string, request: EditRequest): Promise<ChangedLimit | Refusal> {
    return this.edit(caller, limit_id, request, () => {
      const limit = this.find(caller.tenant_id, limit_id);
      return !limit || isDefault(limit) ? noSuchLimit() : { ...limit, version: limit.version + 1, removed: true };
    });
  }

  async usage(tenant_id: string, limit_id: string, { limit: size, cursor }: PageQuery): Promise<Page<LimitCounter>> {
    const rows = await readCounters(this.views.store, { tenant_id, limit_id, after: cursor?.id ?? '', limit: size + 1 });
    const shown = rows.slice(0, size);
    const last = rows.length > shown.length ? shown.at(-1) : undefined;
    const limit = this.find(tenant_id, limit_id);
    return { items: shown.map((row) => this.counted(row, limit)), next_cursor: last ? cursorText({ at: 0, id: last.key }) : null };
  }

  private counted({ subject, per, slots }: CounterRow, limit: Limit | undefined): LimitCounter {
    const counter: Counter = { slots: JSON.parse(slots) as Counter['slots'] };
    const window_ms = limit?.window_ms ?? null;
    const now = slotAt(counter, this.configuration.now_ms(), window_ms);
    return { subject, per, used: usedAt(counter, now, window_ms) / MICRO, max: limit?.max ?? null, window_ms };
  }

  private find(tenant_id: string, limit_id: string): Limit | undefined {
    return [...limitsOf(this.configuration.state, tenant_id), ...defaultLimits].find((limit) => limit.limit_id === limit_id);
  }

  private etag(tenant_id: string, limit_id: string): string {
    return this.configuration.etag(tenant_id, itemNames.limit(limit_id));
  }

  private async edit(
    { tenant_id, principal }: Pick<Caller, 'tenant_id' | 'principal'>,
    limit_id: string,
    request: EditRequest,
    version: () => NewLimit | Refusal,
  ): Promise<ChangedLimit | Refusal> {
    const draft = (): Limit | Refusal => {
      const limit = version();
      if (limit instanceof Refusal) return limit;
      return { ...limit, by: principal, changed_at_ms: this.configuration.now_ms() };
    };
    const edit = { tenant_id, type: 'limit_set', item: itemNames.limit(limit_id), draft } as const;
    const edited = await this.configuration.editEverywhere(request, edit);
    if (edited instanceof Refusal) return edited;
    return { body: { ...answerOf(edited.fields as Limit), ...edited.everywhere }, headers: { etag: edited.etag } };
  }
}
