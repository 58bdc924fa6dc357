import { CIRCUIT_DEFAULTS, type CircuitState, circuitStateAt, inWindow, totalOf } from '@countersign/domain';
import { type Clock, circuitOf } from '@countersign/process';
import { circuitsOf, type Sql } from '@countersign/store';
import { isoOf } from '../answers/shared-schemas.js';
import type { CircuitAnswer } from './circuits.schemas.js';

/** Reads the circuits of one tenant's tools. A version without a row is closed. */
export class CircuitReader {
  constructor(
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now_ms'>,
  ) {}

  /** Those that failed lately or are open, by tool and version. */
  async list(tenant_id: string): Promise<CircuitAnswer[]> {
    const rows = await circuitsOf(this.sql, tenant_id);
    const now_ms = this.clock.now_ms();
    return rows.map((row) => {
      const { tool, version, openings, opened_at_ms, open_until_ms } = row;
      const { succeeded, failed } = totalOf(inWindow(circuitOf(row).slots, now_ms, CIRCUIT_DEFAULTS));
      const state = circuitStateAt(row, now_ms, CIRCUIT_DEFAULTS);
      const times = { opened_at: isoOf(opened_at_ms), half_open_at: isoOf(open_until_ms) };
      return { tool, version, state, openings, ...times, outcomes: { succeeded, failed } };
    });
  }

  /** The state of any version of a tool. */
  async states(tenant_id: string): Promise<(tool: string, version: string) => CircuitState> {
    const listed = await this.list(tenant_id);
    return (tool, version) => listed.find((one) => one.tool === tool && one.version === version)?.state ?? 'closed';
  }
}
