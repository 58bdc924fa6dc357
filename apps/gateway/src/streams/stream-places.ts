import { type Caller, Refusal } from '@countersign/calls';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Problem } from '../http/problem.js';

const KINDS = ['call', 'case', 'saga', 'events', 'approvals', 'mcp'] as const;
export type StreamKind = (typeof KINDS)[number];
type Scope = 'principal' | 'tenant' | 'gateway';

/** Maximum of open event streams in one gateway. */
export interface StreamLimits {
  gateway_max: number;
  tenant_max: number;
  principal_max: number;
}

const SETTINGS: Readonly<Record<Scope, string>> = {
  principal: 'COUNTERSIGN_STREAMS_PER_PRINCIPAL_MAX',
  tenant: 'COUNTERSIGN_STREAMS_PER_TENANT_MAX',
  gateway: 'COUNTERSIGN_STREAMS_MAX',
};

function refusal(scope: Scope, open: number, open_max: number): Problem {
  if (scope === 'gateway')
    return new Refusal('unavailable', 'this gateway has too many event streams open: retry later', { reason: 'too_many_gateway_streams' });
  const found = `the ${scope} has ${open} event streams open on this gateway; the maximum is ${open_max}`;
  const message = `${found} (${SETTINGS[scope]}): close one first`;
  const issues = [{ path: '', code: `streams_per_${scope}_max`, message }];
  return new Refusal('too-many-streams', message, { scope, open, open_max, issues });
}

/** Counts by name; names with the count zero are removed. */
class Counts {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  add(name: string, by: 1 | -1): void {
    const count = this.of(name) + by;
    if (count > 0) this.counts.set(name, count);
    else this.counts.delete(name);
  }
}

const principalOf = ({ tenant_id, issuer, principal }: Caller): string => JSON.stringify([tenant_id, issuer, principal.kind, principal.id]);

/** Counts the open event streams of each caller in this gateway. */
export class StreamPlaces {
  private readonly kinds = new Counts();
  private readonly tenants = new Counts();
  private readonly principals = new Counts();
  private total = 0;
  private readonly refused: Counter<'scope'>;
  private readonly closed: Counter<'reason'>;

  constructor(
    private readonly limits: StreamLimits,
    register: Registry,
  ) {
    const { kinds } = this;
    new Gauge({
      name: 'countersign_gateway_event_streams',
      help: 'Open event streams, by kind',
      labelNames: ['kind'],
      registers: [register],
      collect() {
        for (const kind of KINDS) this.set({ kind }, kinds.of(kind));
      },
    });
    this.refused = new Counter({
      name: 'countersign_gateway_event_streams_refused_total',
      help: 'Event streams refused because too many were open, by scope of the limit',
      labelNames: ['scope'],
      registers: [register],
    });
    this.closed = new Counter({
      name: 'countersign_gateway_event_streams_closed_total',
      help: 'Event streams that the gateway closed early, by reason',
      labelNames: ['reason'],
      registers: [register],
    });
  }

  /** @returns why this caller gets no place; undefined if it has one now. `release` gives it back. */
  take(caller: Caller, kind: StreamKind): Problem | undefined {
    const principal = principalOf(caller);
    const full = this.full(caller.tenant_id, principal);
    if (full) {
      this.refused.inc({ scope: full.scope });
      return refusal(full.scope, full.open, full.open_max);
    }
    this.count(caller.tenant_id, principal, kind, 1);
    return undefined;
  }

  release(caller: Caller, kind: StreamKind): void {
    this.count(caller.tenant_id, principalOf(caller), kind, -1);
  }

  noteClosed(reason: string): void {
    this.closed.inc({ reason });
  }

  private full(tenant_id: string, principal: string): { scope: Scope; open: number; open_max: number } | undefined {
    const { gateway_max, tenant_max, principal_max } = this.limits;
    const scopes = [
      { scope: 'principal' as const, open: this.principals.of(principal), open_max: principal_max },
      { scope: 'tenant' as const, open: this.tenants.of(tenant_id), open_max: tenant_max },
      { scope: 'gateway' as const, open: this.total, open_max: gateway_max },
    ];
    return scopes.find(({ open, open_max }) => open >= open_max);
  }

  private count(tenant_id: string, principal: string, kind: StreamKind, by: 1 | -1): void {
    this.total += by;
    this.kinds.add(kind, by);
    this.tenants.add(tenant_id, by);
    this.principals.add(principal, by);
  }
}
