import type { Principal } from '@countersign/contracts';
import { type ConfigurationState, type Erasure, erasureOf } from '@countersign/domain';
import type { Personal } from '@countersign/process';
import type { ConfigurationService } from '../configuration/configuration.service.js';

/**
 * Erases subjects: records the erasure first, then destroys their keys. After a crash the next start destroys the remaining keys
 * (`Erasures`).
 */
export class SubjectEraser {
  constructor(
    private readonly personal: Personal,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Responds alike for known and unknown subjects. A subject with newer data is erased again. */
  async erase(tenant_id: string, subject_id: string, request: { reason: string; by: Principal }): Promise<Erasure> {
    const { keys } = this.personal;
    const subject = this.personal.ref(tenant_id, subject_id);
    const key_ids = await keys.ofSubject(tenant_id, subject);
    const known = erasureOf(this.configuration.state, tenant_id, subject);
    if (known && key_ids.length === 0) return known;
    const erased_at_ms = this.configuration.clock.now_ms();
    const at = await this.configuration.writer.set(tenant_id, 'subject_erased', { subject, key_ids, erased_at_ms, ...request });
    await keys.destroy(tenant_id, key_ids);
    await this.personal.erasures?.destroyed(at.offset);
    return erasureOf(this.configuration.state, tenant_id, subject) as Erasure;
  }

  /** Destroys keys of months past retention again: after a crash between the two steps, or after keys were restored from a backup. */
  async reconcile(state: ConfigurationState): Promise<void> {
    for (const [tenant_id, { retention }] of state.by_tenant) {
      for (const [markings, period] of retention?.applied ?? []) await this.personal.keys.destroyBefore(tenant_id, markings, period);
    }
  }
}
