import type { ApprovalPart, Meta, ToolCall } from '@countersign/contracts';
import { approvalId, groupOf } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import type { Notification } from './notification.js';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Channels have no clearances: they get only the digest of marked inputs. */
function shown({ inputs_json, mapped, authority }: ToolCall): { inputs: unknown; mapped_inputs?: unknown } {
  if (authority && authority.markings.length > 0) return { inputs: null };
  const inputs = JSON.parse(inputs_json) as unknown;
  return mapped ? { inputs, mapped_inputs: JSON.parse(mapped.inputs_json) as unknown } : { inputs };
}

function aboutCall({ call_id }: Meta, call: ToolCall): Record<string, unknown> {
  const { tool, version, case_id, run_id, principal, inputs_digest, context } = call;
  const requester = { requested_by: { kind: principal.kind, id: principal.id }, rationale: context.rationale };
  return { call_id, tool, version, case_id, run_id, ...requester, ...shown(call), inputs_digest };
}

function notification(
  at: Recorded,
  call: ToolCall,
  content: Pick<Notification, 'type' | 'title'> & { approval_id: string; data?: Record<string, unknown>; open_until_ms?: number },
): Notification {
  const { meta } = at.event;
  const { approval_id, open_until_ms, type, title, data } = content;
  return {
    id: meta.event_id,
    tenant_id: meta.tenant_id,
    type,
    title,
    timestamp_ms: at.timestamp_ms,
    data: { approval_id, ...aboutCall(meta, call), ...data },
    decides: open_until_ms === undefined ? null : { approval_id, expires_at_ms: open_until_ms },
  };
}

/** The approvers and the deadline of one part of a request. */
function partOf(part: ApprovalPart): Record<string, unknown> {
  const { approver_roles, people, quorum } = groupOf(part);
  return { rule: part.rule, approver_roles, people, quorum, expires_at: iso(part.expires_at_ms), shortfall: part.shortfall };
}

function requested(at: Extract<Recorded, { event_type: 'approval_requested' }>): Notification {
  const { approval_id, call, approver_roles, quorum, expires_at_ms, requirement, reversibility, evidence, edit } = at.event;
  const parts = at.event.parts;
  const people = parts.length > 0 ? [...new Set(parts.flatMap((part) => groupOf(part).people))] : (requirement?.people ?? []);
  const data = {
    approver_roles,
    people,
    quorum,
    expires_at: iso(expires_at_ms),
    reversibility,
    undo: evidence?.undo ?? null,
    rule: evidence?.rule ?? null,
    edited_from: edit?.approval_id ?? null,
    parts: parts.map(partOf),
  };
  return notification(at, call, {
    type: 'approval.requested',
    title: `${call.tool} needs an approval`,
    approval_id,
    data,
    open_until_ms: expires_at_ms,
  });
}

/** The notification for an event of an approval request. A denial, an expiry and a cancellation differ only in type. */
export function approvalNotification(at: Recorded): Notification | undefined {
  switch (at.event_type) {
    case 'approval_requested':
      return requested(at);
    case 'approval_escalated': {
      const { approval_id, call, level, approver_roles, people, quorum, expires_at_ms } = at.event;
      const data = { rule: at.event.rule, level, approver_roles, people, quorum, expires_at: iso(expires_at_ms) };
      return notification(at, call, {
        type: 'approval.escalated',
        title: `${call.tool} still needs an approval: it was escalated to you`,
        approval_id,
        data,
        open_until_ms: expires_at_ms,
      });
    }
    case 'approval_reminded': {
      const { approval_id, call, kind, expires_at_ms } = at.event;
      const type = kind === 'reminder' ? 'approval.reminder' : 'approval.sla_missed';
      return notification(at, call, {
        type,
        title: `${call.tool} waits for an approval`,
        approval_id,
        data: { rule: at.event.rule, expires_at: iso(expires_at_ms) },
        open_until_ms: expires_at_ms,
      });
    }
    case 'approval_granted': {
      const { approval_id, call, votes } = at.event;
      const parts = at.event.parts.map(({ rule, approved_by }) => ({ rule, approved_by }));
      const data = { decided_by: votes.map((vote) => vote.voter_id), reason: null, parts };
      return notification(at, call, { type: 'approval.granted', title: `${call.tool} was approved`, approval_id, data });
    }
    case 'approval_denied': {
      const { approval_id, call, by, reason } = at.event;
      return notification(at, call, {
        type: 'approval.denied',
        title: `${call.tool} was denied`,
        approval_id,
        data: { decided_by: [by.id], reason },
      });
    }
    case 'approval_expired': {
      const { approval_id, call } = at.event;
      return notification(at, call, {
        type: 'approval.expired',
        title: `${call.tool}: the approval request expired`,
        approval_id,
        data: { decided_by: [], reason: null },
      });
    }
    case 'call_cancelled': {
      const { meta, revision, call, by, reason, final } = at.event;
      if (!final || !call || revision === 0) return undefined;
      const approval_id = approvalId(meta.call_id as string, revision);
      return notification(at, call, {
        type: 'approval.cancelled',
        title: `${call.tool} was cancelled`,
        approval_id,
        data: { decided_by: [by.id], reason },
      });
    }
    default:
      return undefined;
  }
}
