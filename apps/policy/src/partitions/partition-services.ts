import type { DecisionTerms } from '@countersign/decisions';
import type { Logger } from '@countersign/process';
import type { ExpiryWheel } from './expiry-wheel.js';
import type { LogClock } from './log-clock.js';
import type { RulingTelemetry } from './ruling-telemetry.js';

/** An approval of a partition that falls due: it expires, is reminded of, or its grant ends. */
export interface DueApproval {
  lane: string;
  partition: number;
  approval_id: string;
}

/** What the deciders go by, without the time of a decision. */
export type TimelessTerms = Omit<DecisionTerms, 'now_ms'>;

/** How much of its output a partition holds before it waits for the log. */
export interface WritingLimits {
  in_flight_max: number;
  pending_records_max: number;
}

/** The services that all partitions of a policy process share. */
export interface PartitionServices {
  terms: TimelessTerms;
  clock: LogClock;
  wheel: ExpiryWheel<DueApproval>;
  telemetry: RulingTelemetry;
  writing: WritingLimits;
  logger: Logger;
}
