import type { CallCheck } from './call-check.js';
import type { CallRecords } from './call-records.js';
import type { ExecutionCheck } from './execution-check.js';
import type { ExecutionRecords } from './execution-records.js';

/** A claim or a fold that ran when a row was different is through by then: it is read again. */
export const CONFIRM_AFTER_MS = 2_000;

/** What rows are compared with the log with. */
export interface StateChecks {
  records: CallRecords;
  calls: CallCheck;
  executions: ExecutionCheck;
  logged: ExecutionRecords;
}
