import { type Instance, instanceOf } from '@countersign/domain';
import type { CompiledSagas } from '../definitions/compiled-sagas.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { CallOutputs } from './call-outputs.js';
import { SagaScope } from './saga-scope.js';

/** Makes the scopes in which the texts and pointers of a saga are evaluated. */
export class SagaScopes {
  constructor(
    private readonly compiled: CompiledSagas,
    readonly outputs: CallOutputs,
  ) {}

  /** The scope of an instance of a block, by the id of its records. */
  of(saga: OpenSaga, id: string): SagaScope {
    return this.at(saga, instanceOf(id));
  }

  at(saga: OpenSaga, at: Instance): SagaScope {
    return new SagaScope(saga, this.definitionOf(saga), at, this.outputs);
  }

  definitionOf({ tenant_id, state }: OpenSaga) {
    return this.compiled.of(tenant_id, state);
  }
}
