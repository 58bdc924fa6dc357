import { BoundedCounts } from './bounded-counts.js';

export type Scope = 'address' | 'tenant' | 'process';

/** The cap that a body exceeds. For the scope `process`, the bytes of other callers are not disclosed. */
export interface Overrun {
  scope: Scope;
  /** Bytes already in flight for this address or tenant. */
  found_bytes: number | undefined;
  wanted_bytes: number;
  max_bytes: number;
}

export interface BodyCaps {
  body_bytes_max: number;
  body_bytes_per_address_max: number;
  body_bytes_per_tenant_max: number;
}

const PROCESS = 'process';

/**
 * Counts the bytes of bodies in flight: by address, by tenant and for the process. A body is in flight until its request is answered or
 * cut.
 */
export class BodyBudget {
  readonly counts: Readonly<Record<Scope, BoundedCounts>>;

  constructor(caps: BodyCaps) {
    this.counts = {
      address: new BoundedCounts(caps.body_bytes_per_address_max),
      tenant: new BoundedCounts(caps.body_bytes_per_tenant_max),
      process: new BoundedCounts(caps.body_bytes_max),
    };
  }

  get bytes(): number {
    return this.counts.process.of(PROCESS);
  }

  /** Reserves for an address; `BodyReservation.assign` adds the tenant once it is known. */
  reserve(address: string, bytes: number): BodyReservation | Overrun {
    const reservation = new BodyReservation(this, address);
    return reservation.grow(bytes) ?? reservation;
  }

  /** @returns the cap that it would exceed; then nothing is added. */
  add(scopes: readonly (readonly [Scope, string])[], bytes: number): Overrun | undefined {
    for (const [at, [scope, key]] of scopes.entries()) {
      const counts = this.counts[scope];
      if (counts.add(key, bytes)) continue;
      this.remove(scopes.slice(0, at), bytes);
      const found_bytes = scope === 'process' ? undefined : counts.of(key);
      return { scope, found_bytes, wanted_bytes: bytes, max_bytes: counts.max };
    }
    return undefined;
  }

  remove(scopes: readonly (readonly [Scope, string])[], bytes: number): void {
    for (const [scope, key] of scopes) this.counts[scope].remove(key, bytes);
  }
}

/**
 * The reservation of one request. It is released once, however its request ends, and cannot grow afterwards: the connection may close
 * while the token is verified.
 */
export class BodyReservation {
  private readonly scopes: [Scope, string][];
  private bytes = 0;
  private released = false;

  constructor(
    private readonly budget: BodyBudget,
    address: string,
  ) {
    this.scopes = [
      ['address', address],
      ['process', PROCESS],
    ];
  }

  /** Also counts the reserved bytes for the tenant. */
  assign(tenant_id: string): Overrun | undefined {
    if (this.released) return undefined;
    const scope: [Scope, string] = ['tenant', tenant_id];
    const over = this.budget.add([scope], this.bytes);
    if (!over) this.scopes.push(scope);
    return over;
  }

  grow(bytes: number): Overrun | undefined {
    if (this.released) return undefined;
    const over = this.budget.add(this.scopes, bytes);
    if (!over) this.bytes += bytes;
    return over;
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.budget.remove(this.scopes, this.bytes);
  }
}

export const isOverrun = (result: BodyReservation | Overrun): result is Overrun => !(result instanceof BodyReservation);
