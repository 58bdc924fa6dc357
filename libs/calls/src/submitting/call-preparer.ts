import type { CallMapper } from '../admission/call-mapper.js';
import type { CallSealer } from '../personal/call-sealer.js';
import type { CallRecorder } from '../recording/call-recorder.js';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';

/** Makes of an admitted call what is recorded: mapped, then with its personal data sealed. */
export class CallPreparer {
  constructor(
    private readonly mapper: CallMapper,
    private readonly sealer: CallSealer,
    private readonly recorder: CallRecorder,
  ) {}

  /** Undefined where neither concerns the call: then nothing is waited for. */
  prepared(admitted: AdmittedCall): Promise<AdmittedCall | Refusal> | undefined {
    const mapped = this.mapper.map(admitted);
    if (mapped === undefined) return this.sealer.seal(admitted);
    return mapped.then(async (one) => {
      if (!(one instanceof Refusal)) return this.sealer.seal(one) ?? one;
      // A request that its run numbers may be on the record, whatever the mapping takes by now: it is answered from there.
      const { call_id, tenant_id } = admitted.meta;
      return admitted.numbered && (await this.recorder.refresh(tenant_id, call_id)) ? admitted : one;
    });
  }
}
