import { askAllRun } from './ask-all-run.condition.js';
import { asksAlways } from './asks-always.condition.js';
import { blockedVersion } from './blocked-version.condition.js';
import type { Condition } from './condition.js';
import { dangerousOperation } from './dangerous-operation.condition.js';
import { missingClearance } from './missing-clearance.condition.js';
import { missingScope } from './missing-scope.condition.js';
import { readOnlyRun } from './read-only-run.condition.js';
import { wrongPurpose } from './wrong-purpose.condition.js';

/** All conditions, applied to each call. The strictest decides; among equals the first. */
export const conditions: readonly Condition[] = [
  blockedVersion,
  missingScope,
  missingClearance,
  wrongPurpose,
  readOnlyRun,
  askAllRun,
  asksAlways,
  dangerousOperation,
];
