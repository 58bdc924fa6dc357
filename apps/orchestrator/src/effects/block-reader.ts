import type { SagaEffect } from '@countersign/domain';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';

type Choose = Extract<SagaEffect, { kind: 'choose_branch' }>;
type ReadList = Extract<SagaEffect, { kind: 'read_list' }>;

/** Evaluates the conditions of branches and the lists of maps. */
export class BlockReader {
  constructor(private readonly scopes: SagaScopes) {}

  /** The first choice whose condition is true; -1: none. */
  async choice(saga: OpenSaga, { block_id, name }: Choose): Promise<SagaOrder> {
    const scope = this.scopes.of(saga, block_id);
    for (const [at, { when }] of scope.compiled.branch(name).choices.entries()) {
      const is_true = await scope.isTrue(when);
      if (is_true instanceof EvaluationFault) return { kind: 'block_failed', block_id, error: is_true.error };
      if (is_true) return { kind: 'branch_chosen', block_id, choice: at };
    }
    return { kind: 'branch_chosen', block_id, choice: -1 };
  }

  /** The length of the list. Its items are evaluated again for each item: they follow from records that do not change. */
  async list(saga: OpenSaga, { block_id, name }: ReadList): Promise<SagaOrder> {
    const scope = this.scopes.of(saga, block_id);
    const list = await scope.listOf(scope.compiled.map(name).over);
    if (list instanceof EvaluationFault) return { kind: 'block_failed', block_id, error: list.error };
    return { kind: 'list_read', block_id, items: list.value.length };
  }
}
