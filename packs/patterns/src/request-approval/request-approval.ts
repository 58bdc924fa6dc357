import { defineApprovalRequest } from '@countersign/tool-kit/patterns/approval-request';
import { approvalTasks, stagedActions } from '../staged-records.js';

const DECISION_ID = /^\d+-[0-9a-f-]{36}\.\d+$/;

/** Asks people in a queue to decide about a staged action or a decision before it is due. */
export const requestApproval = defineApprovalRequest({
  name: 'request_approval',
  version: '1.1.1',
  title: 'Request an approval',
  description:
    'Puts a task into a queue that asks people to approve a staged action (by its action_id) or a decision (by its decision_id).',
  summary: 'Ask {/queue} to decide about {/subject/kind} {/subject/id}',
  category: 'actions',
  capabilities: ['approvals', 'tasks'],
  timeout_ms: 10_000,
  queues: { claims: { sla_minutes: 480 }, payments: { sla_minutes: 60 }, legal: { sla_minutes: 2_880 } },
  tasks: approvalTasks,
  // Decisions are on the log, which a tool cannot read: only the form of their ids can be checked here.
  subjectExists: async ({ kind, id }, ctx) =>
    kind === 'decision' ? DECISION_ID.test(id) : id.startsWith('act_') && (await stagedActions.at(ctx, id.slice(4))) !== undefined,
});
