import { type RunningSaga, type SagaDefinition, withoutApproval } from '@countersign/domain';
import { LRUCache } from 'lru-cache';
import { CompiledSaga } from './compiled-saga.js';

const COMPILED_MAX = 500;

/** Compiled definitions by tenant and digest. Sagas of one definition share one object: ten thousand of them have one definition in memory. */
export class CompiledSagas {
  private readonly compiled = new LRUCache<string, CompiledSaga>({ max: COMPILED_MAX });

  of(tenant_id: string, { definition, definition_digest }: Pick<RunningSaga, 'definition' | 'definition_digest'>): CompiledSaga {
    if (definition_digest === null) return new CompiledSaga(definition);
    // A saga that asks for its approval first has one more step than the definition of its digest.
    const key = `${tenant_id}/${definition_digest}/${withoutApproval(definition) === definition}`;
    const known = this.compiled.get(key);
    if (known) return known;
    const compiled = new CompiledSaga(definition);
    this.compiled.set(key, compiled);
    return compiled;
  }

  /** The shared object for an equal definition. */
  shared(tenant_id: string, state: RunningSaga): SagaDefinition {
    return this.of(tenant_id, state).definition;
  }
}
