import type { SagaEffect } from '@countersign/domain';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { BlockReader } from './block-reader.js';
import type { CallFollowing, TellSaga } from './call-following.js';
import type { EffectStop } from './effect-stop.js';
import type { GrantedPlan } from './granted-plan.js';
import type { StepCalls } from './step-calls.js';
import type { StepPreparer } from './step-preparer.js';
import type { UndoCalls } from './undo-calls.js';

/** Performs one effect of a saga and gives the command that answers it. Performing an effect twice is harmless. */
export class SagaActions {
  constructor(
    private readonly blocks: BlockReader,
    private readonly steps: StepPreparer,
    private readonly calls: StepCalls,
    private readonly undos: UndoCalls,
    private readonly following: CallFollowing,
    private readonly granted: GrantedPlan,
  ) {}

  /** @returns undefined if the effect has no answer. @throws if it cannot be performed now: the caller tries again */
  async answer(saga: OpenSaga, effect: SagaEffect, stop: EffectStop, tell: TellSaga): Promise<SagaOrder | undefined> {
    switch (effect.kind) {
      case 'choose_branch':
        return this.blocks.choice(saga, effect);
      case 'read_list':
        return this.blocks.list(saga, effect);
      case 'prepare':
        return this.steps.prepare(saga, effect);
      case 'call':
        return this.granted.after(saga, effect.run, await this.calls.call(saga, effect.run, stop, tell), stop);
      case 'cancel_call':
        return this.calls.cancel(saga, effect.call_id);
      case 'follow':
        return this.following.evidence(saga, effect, stop.signal);
      case 'prepare_undo':
        return this.undos.prepare(saga, effect.run);
      case 'call_undo':
        return this.undos.call(saga, effect.run, stop, tell);
      default:
        return undefined;
    }
  }
}
