import { type RunningSaga, type SagaDefinition, withApproval, withoutApproval } from '@countersign/domain';
import { LRUCache } from 'lru-cache';
import { CompiledSaga } from './compiled-saga.js';

const COMPILED_MAX = 500;

type Defined = Pick<RunningSaga, 'definition' | 'definition_digest'>;

/** Compiled definitions by tenant and digest. Sagas of equal definitions share the definition itself. */
export class CompiledSagas {
  private readonly compiled = new LRUCache<string, CompiledSaga>({ max: COMPILED_MAX });
  /** The same by the definition that sagas share. */
  private readonly shared = new WeakMap<SagaDefinition, CompiledSaga>();

  of(tenant_id: string, { definition, definition_digest }: Defined): CompiledSaga {
    const shared = this.shared.get(definition);
    if (shared) return shared;
    if (definition_digest === null) return new CompiledSaga(definition);
    const is_own = withoutApproval(definition) === definition;
    return this.byDigest(tenant_id, definition_digest, is_own, () => definition);
  }

  /** The definition of a request. Its text is parsed if no saga of this process has it. @throws SyntaxError */
  ofText(tenant_id: string, definition_digest: string, definition_json: string): CompiledSaga {
    return this.byDigest(tenant_id, definition_digest, true, () => JSON.parse(definition_json) as SagaDefinition);
  }

  /** The same definition, with the approval of the whole saga as its first step. */
  asking(tenant_id: string, definition_digest: string, own: CompiledSaga): CompiledSaga {
    return this.byDigest(tenant_id, definition_digest, false, () => withApproval(own.definition));
  }

  /** A saga that asks for its approval first has one more step than the definition of its digest. */
  private byDigest(tenant_id: string, digest: string, is_own: boolean, definition: () => SagaDefinition): CompiledSaga {
    const key = `${tenant_id}/${digest}/${is_own}`;
    const known = this.compiled.get(key);
    if (known) return known;
    const compiled = new CompiledSaga(definition());
    this.compiled.set(key, compiled);
    this.shared.set(compiled.definition, compiled);
    return compiled;
  }
}
