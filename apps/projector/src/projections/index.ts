import type { ExportTopic } from '@countersign/contracts';
import { approvalInbox } from './approval-inbox/approval-inbox.projection.js';
import { approvalQuality } from './approval-quality/approval-quality.projection.js';
import { call } from './call/call.projection.js';
import { cases } from './case/case.projection.js';
import { caseHistory } from './case-history/case-history.projection.js';
import type { Projection } from './projection.js';
import { rebuildRequests } from './rebuild-requests/rebuild-requests.projection.js';
import { runTranscripts } from './run-transcripts/run-transcripts.projection.js';
import { saga } from './saga/saga.projection.js';
import { security } from './security/security.projection.js';
import { standingExports } from './standing-exports/standing-exports.projection.js';
import { trust } from './trust/trust.projection.js';
import { usage } from './usage/usage.projection.js';

/** All projections of the log. A new projection is one folder and one line here. */
export const projections: readonly Projection[] = [
  approvalInbox,
  approvalQuality,
  call,
  caseHistory,
  cases,
  rebuildRequests,
  saga,
  security,
  runTranscripts,
  standingExports([]),
  trust,
  usage,
];

/** All projections, with the configured export topics. */
export const projectionsWith = (exports: readonly ExportTopic[]): readonly Projection[] =>
  projections.map((projection) => (projection.set.name === 'standing-exports' ? standingExports(exports) : projection));
