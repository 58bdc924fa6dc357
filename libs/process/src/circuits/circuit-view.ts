import { CIRCUIT_DEFAULTS, type Circuit, type CircuitState, circuitStateAt } from '@countersign/domain';
import { allCircuits, CIRCUITS_READ_MAX, type CircuitKey, releaseProbe, type Store, takeProbe } from '@countersign/store';
import type { AppDeps } from '../app-deps.js';
import { circuitOf } from './circuit-row.js';

const POLL_MS = 1_000;

const textOf = (tool: string, version: string): string => `${tool}@${version}`;

/**
 * The circuits of all tenants in the memory of a process. They are read every second with one query, and only those that failed lately or
 * are open have a row; so a state is at most about a second old. While the store does not respond the last known states stay.
 */
export class CircuitView {
  private byTenant = new Map<string, Map<string, CircuitKey & { circuit: Circuit }>>();
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly parts: Pick<AppDeps, 'clock' | 'logger'> & { store: Pick<Store, 'query'> },
    private readonly poll_ms = POLL_MS,
  ) {}

  /** Resolves when the circuits are read, or when the store did not respond. */
  start(): Promise<void> {
    this.timer = setInterval(() => void this.refresh(), this.poll_ms);
    this.timer.unref();
    return this.refresh();
  }

  /** Reads the circuits now. One read at a time. Never rejects. */
  refresh(): Promise<void> {
    this.reading ??= this.read()
      .catch((cause) =>
        this.parts.logger.warn({ event: 'circuits_not_read', cause: String(cause) }, 'circuits of tools could not be read; retrying'),
      )
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.reading;
  }

  /** The state now; `closed` if nothing is known. No I/O. */
  stateOf(tenant_id: string, tool: string, version: string): CircuitState {
    return circuitStateAt(this.circuit(tenant_id, tool, version), this.parts.clock.now_ms(), CIRCUIT_DEFAULTS);
  }

  /** The circuit as it was last read; undefined: it has no row. */
  circuit(tenant_id: string, tool: string, version: string): Circuit | undefined {
    return this.byTenant.get(tenant_id)?.get(textOf(tool, version))?.circuit;
  }

  /** All circuits with a row. */
  all(): (CircuitKey & { circuit: Circuit })[] {
    return [...this.byTenant.values()].flatMap((circuits) => [...circuits.values()]);
  }

  /**
   * True if `holder` may call the tool: its circuit is closed, or half-open and the holder has the lease of its one probe. SQL only while the
   * circuit is half-open. The lease ends with the next outcome of the tool, after a minute, or with `release`. The same holder gets it again.
   * @throws InfrastructureFault
   */
  async acquire(key: CircuitKey, holder: string): Promise<boolean> {
    const state = this.stateOf(key.tenant_id, key.tool, key.version);
    if (state !== 'half_open') return state === 'closed';
    return (await takeProbe(this.parts.store, key, { holder, lease_ms: CIRCUIT_DEFAULTS.probe_ms })) !== 'taken';
  }

  /** Gives a probe back whose call was not made. @throws InfrastructureFault */
  release(key: CircuitKey, holder: string): Promise<void> {
    return releaseProbe(this.parts.store, key, holder);
  }

  private async read(): Promise<void> {
    const rows = await allCircuits(this.parts.store);
    if (rows.length === CIRCUITS_READ_MAX)
      this.parts.logger.error(
        { event: 'circuits_cut', read: rows.length },
        'there are more circuits than are read: the others count as closed',
      );
    const byTenant: typeof this.byTenant = new Map();
    for (const row of rows) {
      const { tenant_id, tool, version } = row;
      const circuits = byTenant.get(tenant_id) ?? new Map<string, CircuitKey & { circuit: Circuit }>();
      byTenant.set(tenant_id, circuits.set(textOf(tool, version), { tenant_id, tool, version, circuit: circuitOf(row) }));
    }
    this.byTenant = byTenant;
  }
}
