import { type CaseHistoryWrite, insertCaseHistory, type Statement, caseHistoryTables as set } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';
import { historyOf } from './lines.js';

class PendingHistory implements PendingRows {
  private readonly rows: CaseHistoryWrite[] = [];

  fold(change: Change): void {
    for (const row of historyOf(change)) {
      row.tenant_id = storable(row.tenant_id);
      row.case_id = storable(row.case_id);
      row.detail_json = storable(row.detail_json);
      this.rows.push(row);
    }
  }

  statements(): Statement[] {
    return inChunks(this.rows, insertCaseHistory);
  }
}

/** The timeline of a case, in Korso's events; payloads are joined from `calls` at query time. */
export const caseHistory: Projection = { set, empty: () => new PendingHistory() };
