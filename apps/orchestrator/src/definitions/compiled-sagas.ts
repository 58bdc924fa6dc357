import { type RunningSaga, withoutApproval } from '@countersign/domain';
import { LRUCache } from 'lru-cache';
import { CompiledSaga } from './compiled-saga.js';

const COMPILED_MAX = 500;

/** Compiled definitions by tenant and digest. Sagas that were loaded from a snapshot also share the definition itself. */
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
}
