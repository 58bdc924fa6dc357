import { type InfiniteResult, useInfinite } from '../gateway/use-infinite.js';
import type { HistoryLine } from '../timeline/call-times.js';
import { HISTORY_MEMBERS } from '../timeline/history-members.js';

const PAGE = 200;

/** The lines of a case, newest first, page by page: new lines come with the first page. */
export function useCaseHistory(case_id: string): InfiniteResult<HistoryLine> {
  return useInfinite<HistoryLine>({
    kind: 'case',
    id: case_id,
    key: ['history'],
    read: (api, cursor, signal) =>
      api.GET('/v1/cases/{case_id}/history', {
        params: { path: { case_id }, query: { order: 'newest', fields: HISTORY_MEMBERS, limit: PAGE, ...(cursor ? { cursor } : {}) } },
        signal,
      }),
  });
}
