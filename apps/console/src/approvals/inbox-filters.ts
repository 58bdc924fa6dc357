/** Filters of the inbox; they live in the query of the address. */
export interface InboxFilters {
  /** `all`: every status. */
  status: string;
  tool: string;
  principal: string;
  /** Only those that this person may decide. */
  is_mine: boolean;
}

export const STATUSES = [
  ['pending', 'Pending'],
  ['granted', 'Approved'],
  ['denied', 'Denied'],
  ['expired', 'Expired'],
  ['cancelled', 'Cancelled'],
  ['superseded', 'Replaced'],
  ['all', 'All'],
] as const;

type Status = Exclude<(typeof STATUSES)[number][0], 'all'>;

/** The filters of an address; an unknown status is the default one. */
export function filtersOf(query: string): InboxFilters {
  const values = new URLSearchParams(query);
  const status = values.get('status') ?? 'pending';
  return {
    status: STATUSES.some(([known]) => known === status) ? status : 'pending',
    tool: (values.get('tool') ?? '').slice(0, 200),
    principal: (values.get('principal') ?? '').slice(0, 200),
    is_mine: values.get('mine') === '1',
  };
}

/** The query of `GET /v1/approvals` for these filters. */
export function listQuery({ status, tool, principal }: InboxFilters): { status?: Status; tool?: string; principal?: string } {
  return {
    ...(status === 'all' ? {} : { status: status as Status }),
    ...(tool.trim() === '' ? {} : { tool: tool.trim() }),
    ...(principal.trim() === '' ? {} : { principal: principal.trim() }),
  };
}
