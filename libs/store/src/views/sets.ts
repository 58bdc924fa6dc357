import { approvalQualityTables } from './approval-quality.js';
import { approvalTables } from './approval-tables.js';
import { callTables } from './call-tables.js';
import { caseHistoryTables } from './case-history.js';
import { caseTables } from './cases.js';
import { exportOutboxTables } from './export-outbox.js';
import { rebuildRequests } from './rebuild-requests.js';
import { runTranscriptTables } from './run-transcripts.js';
import { sagaTables } from './saga-tables.js';
import { securityTables } from './security-events.js';
import { trustTables } from './trust-tables.js';
import { usageTables } from './usage-tables.js';
import type { ViewSet } from './view-set.js';

/** The projection whose rows hold the states of the calls, from which every fold continues. */
export const STATES = callTables.name;

/** The tables of every projection: add each new projection here. */
export const viewSets: readonly ViewSet[] = [
  approvalTables,
  approvalQualityTables,
  callTables,
  caseHistoryTables,
  caseTables,
  rebuildRequests,
  sagaTables,
  securityTables,
  runTranscriptTables,
  trustTables,
  usageTables,
  exportOutboxTables,
];
