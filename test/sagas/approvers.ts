import type { ApprovalRequirement } from '@countersign/contracts';
import { SAGA_APPROVAL } from '@countersign/domain';
import type { Api } from '../journeys/api.js';
import { move, saga, sequence } from './blocks.js';
import type { SagaPlatform } from './saga-platform.js';

/** Waits for an event. */
export const go = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 60_000, on_timeout: 'fail' } as const;

export const HOUR_MS = 3_600_000;

/** A rule that requires approval of a tool's calls. */
export const asking = (id: string, tool: string, approval: Partial<ApprovalRequirement>) => ({
  id,
  tools: tool,
  effect: 'require_approval',
  approval: { approver_roles: ['approver'], ...approval },
});

/** The people of the specs, and what they do by HTTP. */
export class Approvers {
  private constructor(
    private readonly platform: SagaPlatform,
    readonly anna: Api,
    readonly bert: Api,
    readonly agent: Api,
  ) {}

  static async of(platform: SagaPlatform): Promise<Approvers> {
    const admin = platform.admin();
    const anna = await admin.keyFor('user', 'anna', ['approver']);
    const bert = await admin.keyFor('user', 'bert', ['operator']);
    return new Approvers(platform, anna, bert, await admin.keyFor('agent', 'bot', ['agent']));
  }

  /** Publishes the rules and puts them in force. */
  async rules(...rules: object[]): Promise<void> {
    const admin = this.platform.admin();
    await admin.request('PUT', '/v1/policies/settings', { simulation_required: false });
    const { status, body } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
    if (status >= 300) throw new Error(`POST /v1/policies answered ${status}: ${JSON.stringify(body)}`);
    const active = await admin.request('PUT', '/v1/policies/active', { version: body.version });
    if (active.status >= 300) throw new Error(`PUT /v1/policies/active answered ${active.status}: ${JSON.stringify(active.body)}`);
  }

  /** Starts a saga with one step after an event, and approves its plan. @returns the approval's id */
  async approvedBefore(name: string): Promise<string> {
    this.platform.write(`${name}-1.txt`, name);
    await this.platform.start(name, saga(sequence(go, move('one', `${name}-1.txt`, `${name}-2.txt`))));
    const approval_id = await this.approve(name, SAGA_APPROVAL.step);
    const isWaiting = ({ event_type, event }: { event_type: string; event: object }) =>
      event_type === 'saga_wait_opened' && 'step_id' in event && event.step_id === go.name;
    await this.platform.until(name, isWaiting);
    return approval_id;
  }

  /** Sends the event of `go`. */
  goOn(name: string): Promise<string> {
    return this.platform.answer(name, go.name, { by: 'event' });
  }

  /** The id of the approval that a step waits for. */
  async asked(saga_id: string, step_id: string): Promise<string> {
    const records = await this.platform.until(
      saga_id,
      ({ event_type, event }) => event_type === 'saga_wait_opened' && 'step_id' in event && event.step_id === step_id,
    );
    const runs = records.flatMap((record) => (record.event_type === 'saga_step_requested' ? [record.event] : []));
    return `${runs.findLast((run) => run.step_id === step_id)?.call_id}.1`;
  }

  /** Approves what a step waits for. @returns the approval's id */
  async approve(saga_id: string, step_id: string, by: Api = this.anna): Promise<string> {
    const approval_id = await this.asked(saga_id, step_id);
    const { status, body } = await by.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' });
    if (status >= 300) throw new Error(`the vote answered ${status}: ${JSON.stringify(body)}`);
    return approval_id;
  }
}
