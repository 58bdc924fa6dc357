import { setTimeout as sleep } from 'node:timers/promises';
import { type Run, SAGA_APPROVAL, sagaGrant } from '@countersign/domain';
import type { Configuration, Logger } from '@countersign/process';
import type { CallOutcomes } from '../evaluation/call-outcomes.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { EffectStop } from './effect-stop.js';

const POLL_MS = 20;
/** The gateway writes the grant when it reads the approval. Steps that run before it ask by themselves. */
const KNOWN_WITHIN_MS = 30_000;

/** Waits until an approval of a whole saga is in force, so that its steps need not ask. */
export class GrantedPlan {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly outcomes: Pick<CallOutcomes, 'settled'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Passes the end of a step on: of an approved plan, once its grant is known. */
  async after(saga: OpenSaga, run: Run, order: SagaOrder | undefined, stop: EffectStop): Promise<SagaOrder | undefined> {
    if (run.step_id !== SAGA_APPROVAL.step || order?.kind !== 'step_ended' || order.status !== 'succeeded') return order;
    const { approval } = await this.outcomes.settled(saga.tenant_id, run.call_id);
    if (approval) await this.known(saga, approval.approval_id, stop);
    return order;
  }

  private async known({ tenant_id, saga_id }: OpenSaga, approval_id: string, stop: EffectStop): Promise<void> {
    for (let waited_ms = 0; waited_ms < KNOWN_WITHIN_MS; waited_ms += POLL_MS) {
      if (stop.is_stopped || sagaGrant(this.configuration.state, tenant_id, saga_id)?.grant.approval_id === approval_id) return;
      await sleep(POLL_MS);
    }
    this.logger.warn(
      { event: 'saga_grant_unknown', tenant_id, saga_id, approval_id },
      'the approval of a saga is not in the configuration: its steps ask by themselves until it is',
    );
  }
}
