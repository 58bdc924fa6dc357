import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { RunContext, Tool } from '../tool.js';
import { ToolError } from '../tool-error.js';
import { type EvidenceSpan, evidenceSpan, type PatternTraits } from './evidence.js';
import type { KeyedRecords } from './keyed-records.js';
import { keyedWrites } from './keyed-writes.js';

/** A task for people: decide about a subject before it is due. */
export interface ApprovalTask {
  task_id: string;
  state: 'open';
  queue: string;
  subject: { kind: 'action' | 'decision'; id: string };
  rationale: string;
  evidence: EvidenceSpan[];
  requested_by: { kind: string; id: string };
  requesting_call_id: string;
  created_at: string;
  /** End of the SLA. */
  due_at: string;
}

export interface ApprovalRequest extends PatternTraits {
  /** The existing queues, each with its default SLA in minutes. */
  queues: Readonly<Record<string, { sla_minutes: number }>>;
  tasks: KeyedRecords<ApprovalTask>;
  /** Whether the subject of the decision exists. */
  subjectExists(subject: ApprovalTask['subject'], ctx: RunContext): Promise<boolean>;
}

const subject = z.strictObject({ kind: z.enum(['action', 'decision']), id: z.string().min(1).max(200) });

/** Pattern 7: adds a task to a queue that asks people to approve a staged action or a decision, with rationale, evidence and SLA. */
export function defineApprovalRequest(definition: ApprovalRequest): Tool {
  const { queues, tasks, subjectExists, ...traits } = definition;
  const queue = z.enum(Object.keys(queues) as [string, ...string[]]);
  return defineTool({
    ...traits,
    pattern: 'approval_request',
    effect_class: 'commit_low',
    takes_key: true,
    idempotency: { discriminating: ['subject', 'queue'] },
    resources: [{ name: 'approval_task:{/queue}/{/subject/kind}/{/subject/id}', effect: 'adds' }],
    input: z.strictObject({
      subject,
      queue,
      rationale: z.string().min(1).max(4_000),
      evidence: z.array(evidenceSpan).max(50).default([]),
      sla_minutes: z.int().min(1).max(525_600).optional().describe("Minutes until it is due; the queue's own SLA where absent."),
    }),
    output: z.strictObject({
      task_id: z.string(),
      state: z.literal('open'),
      queue,
      subject,
      rationale: z.string(),
      evidence: z.array(evidenceSpan),
      requested_by: z.strictObject({ kind: z.string(), id: z.string() }),
      requesting_call_id: z.string(),
      created_at: z.iso.datetime(),
      due_at: z.iso.datetime(),
    }),
    run: async ({ subject: about, queue: name, rationale, evidence, sla_minutes }, ctx) => {
      if (!(await subjectExists(about, ctx))) {
        throw new ToolError('VALIDATION_ERROR', `${about.kind} ${about.id} does not exist`, { class: 'not_found', effect: 'none' });
      }
      const created_at = new Date().toISOString();
      const minutes = sla_minutes ?? (queues[name]?.sla_minutes as number);
      const task: ApprovalTask = {
        task_id: `task_${ctx.idempotency_key}`,
        state: 'open',
        queue: name,
        subject: about,
        rationale,
        evidence,
        requested_by: { kind: ctx.principal.kind, id: ctx.principal.id },
        requesting_call_id: ctx.call_id,
        created_at,
        due_at: new Date(Date.parse(created_at) + minutes * 60_000).toISOString(),
      };
      return tasks.add(task, ctx);
    },
    ...keyedWrites(tasks),
  });
}
