import type { DecisionTerms } from '@countersign/decisions';
import type { ExpiryWheel, Logger } from '@countersign/process';
import type { LogClock } from './log-clock.js';
import type { RulingTelemetry } from './ruling-telemetry.js';

/** An approval with due work: it expires, needs a reminder, or its grant ends. */
export interface DueApproval {
  lane: string;
  partition: number;
  approval_id: string;
}

/** The inputs of decisions, without the time of a decision. */
export type TimelessTerms = Omit<DecisionTerms, 'now_ms'>;

/** Limits on the output of a partition that is not yet on the log. */
export interface WritingLimits {
  in_flight_max: number;
  pending_records_max: number;
}

/** Services that all partitions of a policy process share. */
export interface PartitionServices {
  terms: TimelessTerms;
  clock: LogClock;
  wheel: ExpiryWheel<DueApproval>;
  telemetry: RulingTelemetry;
  writing: WritingLimits;
  logger: Logger;
}
