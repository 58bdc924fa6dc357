import type { Schemas } from '../gateway/schemas.js';
import { type InfiniteResult, useInfinite } from '../gateway/use-infinite.js';

export type CaseCall = Schemas['CallListItem'];

const MEMBERS =
  'call_id,tool,status,requested_at,started_at,ended_at,duration_ms,cost,approval,deduplicated,principal,purpose,summary,error,saga,compensates';
/** The most that the API answers at once: most cases are read whole. */
const PAGE = 500;

/** The calls of a case, newest first, page by page. */
export function useCaseCalls(case_id: string): InfiniteResult<CaseCall> {
  return useInfinite<CaseCall>({
    kind: 'case',
    id: case_id,
    key: ['calls'],
    read: (api, cursor, signal) =>
      api.GET('/v1/calls', { params: { query: { case_id, fields: MEMBERS, limit: PAGE, ...(cursor ? { cursor } : {}) } }, signal }),
  });
}
