import { claimReference, type Store } from '@countersign/store';
import type { CallMapper } from '../admission/call-mapper.js';
import type { CallSealer } from '../personal/call-sealer.js';
import type { CallRecorder } from '../recording/call-recorder.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';

type Prepared = Promise<AdmittedCall | Refusal> | undefined;

/** Prepares an admitted call for the log: maps its inputs, encrypts its personal data, then claims its reference. */
export class CallPreparer {
  constructor(
    private readonly mapper: CallMapper,
    private readonly sealer: CallSealer,
    private readonly recorder: CallRecorder,
    private readonly store: Store,
  ) {}

  /** Undefined if no step applies to the call: the caller then continues synchronously. */
  prepared(admitted: AdmittedCall): Prepared {
    const { external_id } = admitted.call;
    const filled = this.filled(admitted);
    if (external_id == null) return filled;
    return Promise.resolve(filled ?? admitted).then((one) => (one instanceof Refusal ? one : this.claimed(one, external_id)));
  }

  private filled(admitted: AdmittedCall): Prepared {
    const mapped = this.mapper.map(admitted);
    if (mapped === undefined) return this.sealer.seal(admitted);
    return mapped.then(async (one) => {
      if (!(one instanceof Refusal)) return this.sealer.seal(one) ?? one;
      // A numbered request may already be recorded, even if the mapping refuses it now: the recorded call answers it.
      const { call_id, tenant_id } = admitted.meta;
      return admitted.numbered && (await this.recorder.refresh(tenant_id, call_id)) ? admitted : one;
    });
  }

  /**
   * Claims the reference before the call is recorded. A request that is refused anyway claims nothing: it would block the reference for a
   * valid request and fill the table. A call that is refused after its claim keeps the reference for an equal request.
   */
  private async claimed(admitted: AdmittedCall, external_id: string): Promise<AdmittedCall | Refusal> {
    if (admitted.refusal_if_new) return admitted;
    const full = this.recorder.fullFor(admitted);
    if (full) return full;
    const { tenant_id, call_id } = admitted.meta;
    const holder = await claimReference(this.store, { tenant_id, external_id, call_id });
    if (holder === call_id) return admitted;
    const detail = `${holder} has this external_id, and is another request: read that call, or use another external_id`;
    return new Refusal('external-id-taken', detail, { call_id: holder });
  }
}
