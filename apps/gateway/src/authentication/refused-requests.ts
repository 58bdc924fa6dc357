import { type AccessRefusal, type Caller, type Refusal } from '@countersign/calls';
import { firstMeta } from '@countersign/contracts';
import { type AppDeps, securityRecord } from '@countersign/process';

const PACE_MS = 1_000;
const KINDS_MAX = 1_000;

interface Refused {
  tenant_id: string;
  /** Null: unknown. */
  principal: Caller['principal'] | null;
  kind: AccessRefusal | 'sign_in_refused';
  detail: string;
  times: number;
}

/** The members of a request that identify its route. */
export interface RoutedRequest {
  readonly url: string;
  readonly raw: { readonly method?: string | undefined };
  /** Absent if the request bypassed the router. */
  readonly routeOptions?: { readonly url?: string | undefined };
}

/** Method and route pattern of a request, without the caller's path and query values. */
function routeOf({ raw, url, routeOptions }: RoutedRequest): string {
  return `${raw.method ?? ''} ${routeOptions?.url ?? (url.split('?', 1)[0] as string)}`;
}

/**
 * Records refused requests on `security-event`: caller, route, reason and count. Equal refusals share one record a second, so that
 * they cannot fill the log. The response does not wait for the record; if the log is unavailable, the record is lost.
 */
export class RefusedRequests {
  private refused = new Map<string, Refused>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'clock' | 'logger'>) {}

  /** Records nothing if the caller has the required role. */
  note({ tenant_id, principal }: Caller, request: RoutedRequest, refusal: Pick<Refusal, 'access' | 'detail'>): void {
    const kind = refusal.access;
    if (kind === undefined) return;
    this.count({ tenant_id, principal, kind, detail: `${routeOf(request)}: ${refusal.detail}` });
  }

  /** Records an attempt to sign in. `principal`: whose credential was used, if it is known. */
  noteSignIn(tenant_id: string, principal: Caller['principal'] | null, detail: string): void {
    this.count({ tenant_id, principal, kind: 'sign_in_refused', detail });
  }

  private count(one: Omit<Refused, 'times'>): void {
    const key = JSON.stringify([one.tenant_id, one.principal?.kind, one.principal?.id, one.kind, one.detail]);
    const known = this.refused.get(key);
    if (known) known.times++;
    else this.refused.set(key, { ...one, times: 1 });
    if (this.refused.size >= KINDS_MAX) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), PACE_MS).unref();
  }

  /** Resolves when pending refusals are on the log. */
  close(): Promise<unknown> {
    this.flush();
    return this.writing;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.refused.size === 0) return;
    const { log, codec, clock, logger } = this.parts;
    const recorded_at_ms = clock.now_ms();
    const records = [...this.refused.values()].map(({ tenant_id, ...event }) =>
      securityRecord(codec, tenant_id, { meta: firstMeta(tenant_id, recorded_at_ms), ...event, recorded_at_ms }),
    );
    this.refused = new Map();
    const written = log
      .append(records)
      .catch((cause) => logger.warn({ event: 'refusals_not_recorded', err: cause, records: records.length }, 'could not record refusals'));
    this.writing = Promise.all([this.writing, written]);
  }
}
