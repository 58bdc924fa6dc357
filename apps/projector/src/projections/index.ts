import { approvalInbox } from './approval-inbox/approval-inbox.projection.js';
import { call } from './call/call.projection.js';
import { cases } from './case/case.projection.js';
import { caseHistory } from './case-history/case-history.projection.js';
import type { Projection } from './projection.js';
import { rebuildRequests } from './rebuild-requests/rebuild-requests.projection.js';
import { trust } from './trust/trust.projection.js';
import { usage } from './usage/usage.projection.js';

/** Everything that is folded from the log; a new projection is one folder and one line here. */
export const projections: readonly Projection[] = [approvalInbox, call, caseHistory, cases, rebuildRequests, trust, usage];
