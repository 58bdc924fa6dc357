import type { CallCheck } from './call-check.js';
import type { CallRecords } from './call-records.js';
import type { ExecutionCheck } from './execution-check.js';
import type { ExecutionRecords } from './execution-records.js';

/** A claim or fold that ran during a comparison has ended after this time; then the row is read again. */
export const CONFIRM_AFTER_MS = 2_000;

/** Dependencies for comparing rows with the log. */
export interface StateChecks {
  records: CallRecords;
  calls: CallCheck;
  executions: ExecutionCheck;
  logged: ExecutionRecords;
}
