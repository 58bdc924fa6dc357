import { askAllRun } from './ask-all-run.condition.js';
import { blockedVersion } from './blocked-version.condition.js';
import type { Condition } from './condition.js';
import { dangerousOperation } from './dangerous-operation.condition.js';
import { missingClearance } from './missing-clearance.condition.js';
import { missingScope } from './missing-scope.condition.js';
import { readOnlyRun } from './read-only-run.condition.js';
import { wrongPurpose } from './wrong-purpose.condition.js';

/** Every condition that each call is judged by; the strictest wins, among equals the first. */
export const conditions: readonly Condition[] = [
  blockedVersion,
  missingScope,
  missingClearance,
  wrongPurpose,
  readOnlyRun,
  askAllRun,
  dangerousOperation,
];
