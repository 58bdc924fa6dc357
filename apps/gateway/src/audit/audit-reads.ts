import { type AuditRead, canonicalText, firstMeta, type Principal, uuidv7 } from '@countersign/contracts';
import type { AppDeps } from '@countersign/process';

/** Describes what a reader read from the audit. */
export interface ReadOfAudit extends Pick<AuditRead, 'what' | 'items'> {
  tenant_id: string;
  by: Principal;
  query: Readonly<Record<string, unknown>>;
  sha256?: string;
  checkpoint_size?: number;
  /** The event_id of the audit record, if it was announced before. */
  event_id?: string;
}

/** Records each read of the audit. Data is sent only after the record is written. */
export class AuditReads {
  constructor(private readonly parts: Pick<AppDeps, 'log' | 'codec' | 'clock'>) {}

  newId(): string {
    return uuidv7(this.parts.clock.now_ms());
  }

  /** Resolves when the record is durable. @throws InfrastructureFault if the log is unavailable. */
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
