import { type Caller, Views } from '@countersign/calls';
import type { TenantKeys } from '@countersign/process';
import { readSagaRow } from '@countersign/store';
import { Inject, Injectable } from '@nestjs/common';
import type { SagaIdentity } from '../sagas/saga-identity.js';
import { TENANT_KEYS } from '../token-exchanges/tenant-keys.js';
import { undoIdentity } from './undo-identity.js';

/** Undos of one preview that failed and were accepted; then another preview is needed. */
const FAILED_MAX = 20;

/** Finds the saga of a request to undo several calls. */
@Injectable()
export class UndoIdentities {
  constructor(
    @Inject(TENANT_KEYS) private readonly keys: TenantKeys,
    private readonly views: Views,
  ) {}

  /** The id of the saga, and whether it exists. After one that ended without undoing everything the same preview starts another one. */
  async of(caller: Caller, preview_digest: string): Promise<{ identity: SagaIdentity; exists: boolean }> {
    const tenant_key = this.keys.tenantKey(caller.tenant_id);
    let identity = undoIdentity(caller, preview_digest, tenant_key);
    for (let failed = 0; failed < FAILED_MAX; failed++) {
      const row = await readSagaRow(this.views.store, caller.tenant_id, identity.saga_id);
      if (row?.end_status !== 'compensation_failed') return { identity, exists: row !== undefined };
      identity = undoIdentity(caller, preview_digest, tenant_key, identity.saga_id);
    }
    return { identity, exists: true };
  }
}
