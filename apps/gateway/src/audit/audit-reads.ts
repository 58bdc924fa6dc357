import { type AuditRead, canonicalText, firstMeta, type Principal, uuidv7 } from '@countersign/contracts';
import type { AppDeps } from '@countersign/process';

/** What was read of the audit. */
export interface ReadOfAudit extends Pick<AuditRead, 'what' | 'items'> {
  tenant_id: string;
  by: Principal;
  query: Readonly<Record<string, unknown>>;
  sha256?: string;
  checkpoint_size?: number;
  /** Its event_id, where it was promised before. */
  event_id?: string;
}

/** Reading the audit is itself on the record: nothing is given that could not be recorded. */
export class AuditReads {
  constructor(private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'clock'>) {}

  newId(): string {
    return uuidv7(this.parts.clock.now_ms());
  }

  /** Resolves when it is durable. @throws InfrastructureFault where the log takes nothing. */
  async record({ tenant_id, by, what, query, items, sha256, checkpoint_size, event_id = this.newId() }: ReadOfAudit): Promise<void> {
    const { log, codec, clock } = this.parts;
    const now_ms = clock.now_ms();
    const meta = firstMeta(tenant_id, now_ms, event_id);
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    const value = codec.encode('audit_read', {
      meta,
      by,
      what,
      query_json: canonicalText(given),
      items,
      sha256: sha256 ?? null,
      checkpoint_size: checkpoint_size ?? null,
      read_at_ms: now_ms,
    });
    await log.append([{ topic: 'security-event', partition: 0, key: null, value, headers: { event_type: 'audit_read' } }]);
  }
}
