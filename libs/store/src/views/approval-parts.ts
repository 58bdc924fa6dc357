import type { ApprovalPart as RecordedPart } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import type { Escalation, RequestedApproval } from './approvals.js';

/** The current state of one part of a request. */
export interface PartRow {
  /** Null in records from before parts existed. */
  rule: string | null;
  /** Number of groups that had the part before the current one. */
  level: number;
  approver_roles: string[];
  people: string[];
  /** Approvals received. */
  approvals: number;
  /** Approvals required. */
  quorum: number;
  met: boolean;
  four_eyes: boolean;
  requested_at_ms: number;
  expires_at_ms: number;
  /** Why the people known at the time of the request cannot reach the quorum. */
  shortfall: string | null;
  /** The group that is asked once the time of the current one is over; null: the request then expires. */
  next: Pick<Escalation, 'approver_roles' | 'people'> | null;
}

type RequestedParts = RequestedApproval & { requested_at_ms: number; expires_at_ms: number };

/** What votes and escalations report about a part; '' names the only part. */
export interface ReportedPart extends Row {
  approval_id: string;
  rule: string;
  approvals: number | null;
  escalation: string | null;
}

/** What votes and escalations reported about the parts of these requests, by approval id. */
export async function readParts(
  sql: Sql,
  tenant_id: string,
  approval_ids: readonly string[],
): Promise<ReadonlyMap<string, ReportedPart[]>> {
  const rows = await sql.query<ReportedPart>({
    name: 'views_read_approval_parts',
    text: 'SELECT approval_id, rule, approvals, escalation FROM approval_parts WHERE tenant_id = $1 AND approval_id = ANY($2::text[])',
    params: [tenant_id, approval_ids],
  });
  const found = new Map<string, ReportedPart[]>();
  for (const row of rows) found.set(row.approval_id, [...(found.get(row.approval_id) ?? []), row]);
  return found;
}

/** The newest escalation of a part. */
export function escalationOf(reported: readonly ReportedPart[], rule: string): Escalation | undefined {
  const text = reported.find((one) => one.rule === rule)?.escalation;
  return text ? (JSON.parse(text) as Escalation) : undefined;
}

/** The group that is asked for a part at a level. */
function groupAt({ requirement, level }: RecordedPart): Pick<Escalation, 'approver_roles' | 'people' | 'quorum'> {
  const { approver_roles, people, quorum } = requirement.escalate_to[level - 1] ?? requirement;
  return { approver_roles, people, quorum };
}

function nextGroup(requirement: RecordedPart['requirement'] | null, level: number): PartRow['next'] {
  const group = requirement?.on_expiry === 'escalate' ? requirement.escalate_to[level] : undefined;
  return group ? { approver_roles: group.approver_roles, people: group.people } : null;
}

/** The current state of the parts of a request. */
export function partRows(requested: RequestedParts, reported: readonly ReportedPart[]): PartRow[] {
  const isOnly = requested.parts.length < 2;
  const now = (part: Omit<PartRow, 'approvals' | 'met' | 'next'>, terms: RecordedPart['requirement'] | null): PartRow => {
    const rule = isOnly ? '' : (part.rule ?? '');
    const moved = { ...part, ...escalationOf(reported, rule) };
    const approvals = reported.find((one) => one.rule === rule)?.approvals ?? 0;
    return { ...moved, approvals, met: approvals >= moved.quorum, next: nextGroup(terms, moved.level) };
  };
  if (requested.parts.length === 0) {
    const { rule, approver_roles, people, quorum, requirement, requested_at_ms, expires_at_ms } = requested;
    const times = { requested_at_ms, expires_at_ms, shortfall: null };
    return [now({ rule, level: 0, approver_roles, people, quorum, four_eyes: requirement?.four_eyes ?? true, ...times }, requirement)];
  }
  return requested.parts.map((part) => {
    const { rule, level, requested_at_ms, expires_at_ms, shortfall, requirement } = part;
    return now({ rule, level, ...groupAt(part), four_eyes: requirement.four_eyes, requested_at_ms, expires_at_ms, shortfall }, requirement);
  });
}
