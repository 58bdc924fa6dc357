import type { EventLog } from '@countersign/event-log';
import type { FoundDamage } from '@countersign/evidence';
import { spansOf, type TreeHead } from '@countersign/proofs';
import type { Store } from '@countersign/store';
import { Registry } from 'prom-client';
import { BackgroundPace } from '../audit/background-pace.js';
import { AllCalls } from '../state-check/all-calls.js';
import { AllCases } from '../state-check/all-cases.js';
import { AllExecutions } from '../state-check/all-executions.js';
import { CallCheck } from '../state-check/call-check.js';
import { CallRecords } from '../state-check/call-records.js';
import { CaseRecords } from '../state-check/case-records.js';
import { ExecutionCheck } from '../state-check/execution-check.js';
import { ExecutionRecords } from '../state-check/execution-records.js';
import type { RandomBelow } from '../state-check/lane-partitions.js';
import { StateCheckMetrics } from '../state-check/state-check-metrics.js';
import type { StateChecks } from '../state-check/state-checks.js';
import { StateSampler } from '../state-check/state-sampler.js';
import { PlatformOnDisk } from './platform-on-disk.js';

/** Heads of the shared lane, as if everything on the log were signed. */
export async function headsOf(log: EventLog, partitions = 1): Promise<TreeHead[]> {
  const heads: TreeHead[] = [];
  for (const topic of ['tool-call-requested', 'tool-executed'])
    for (let partition = 0; partition < partitions; partition++)
      heads.push({ topic, partition, size: await log.head(topic, partition), root: Buffer.alloc(32) } as TreeHead);
  return heads.filter(({ size }) => size > 0);
}

/** For specs: checks of a log and a store without rests, and a sampler with seeded randomness. */
export class TestedChecks {
  readonly found: FoundDamage[] = [];
  private readonly stopping = new AbortController();
  readonly pace = new BackgroundPace(0, this.stopping.signal);
  readonly checks: StateChecks;
  private readonly register = new Registry();
  readonly metrics = new StateCheckMetrics(this.register);

  constructor(
    private readonly log: EventLog,
    private readonly store: Store,
    private readonly partitions = 1,
  ) {
    const records = new CallRecords({ log, codec: PlatformOnDisk.codec() }, this.pace);
    const [calls, executions, logged] = [
      new CallCheck(store, records),
      new ExecutionCheck(store, this.pace),
      new ExecutionRecords(records),
    ];
    this.checks = { records, calls, executions, logged };
  }

  /** Stops the checks, as when the process stops. */
  stop(): void {
    this.stopping.abort();
  }

  sampler(seed: number): StateSampler {
    const source = { store: this.store, signed: async () => spansOf(await headsOf(this.log, this.partitions)), random: randomOf(seed) };
    return new StateSampler(source, this.checks, { found: (damage) => this.found.push(damage) > 0 }, this.metrics);
  }

  /** All findings of a comparison of all rows. */
  async all(partitions = 1): Promise<string[]> {
    const wrong: string[] = [];
    for (let partition = 0; partition < partitions; partition++) {
      wrong.push(...(await this.calls(partition)));
      wrong.push(...(await this.executions(partition)));
    }
    return wrong;
  }

  async calls(partition: number): Promise<string[]> {
    const wrong: string[] = [];
    const { records, calls } = this.checks;
    for await (const step of new AllCalls(this.store, records, calls).steps({ lanes: ['shared'], partition }))
      wrong.push(...step.wrong.map(({ reason }) => reason));
    return wrong;
  }

  async executions(partition: number): Promise<string[]> {
    const wrong: string[] = [];
    for await (const step of new AllExecutions(this.store, this.checks).steps({ lane: 'shared', partition }))
      wrong.push(...step.wrong.map(({ reason }) => reason));
    return wrong;
  }

  async cases(): Promise<string[]> {
    const wrong: string[] = [];
    for await (const step of new AllCases(this.store, new CaseRecords(this.checks.records)).steps())
      wrong.push(...step.wrong.map(({ reason }) => reason));
    return wrong;
  }

  async compared(table: string): Promise<number> {
    const { values = [] } = (await this.register.getSingleMetric('countersign_state_compared_total')?.get()) ?? {};
    return values.find(({ labels }) => labels.table === table)?.value ?? 0;
  }

  /** Checks until something is found, at most this often. */
  async look(seed: number, times: number): Promise<FoundDamage[]> {
    const sampler = this.sampler(seed);
    for (let n = 0; n < times && this.found.length === 0; n++) await sampler.look();
    return this.found;
  }
}

/** The Mulberry32 generator. */
function randomOf(seed: number): RandomBelow {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
