import { peekTenantId } from '@countersign/calls';
import type { BatchDecoder, LogRecord, Recorded } from '@countersign/event-log';
import type { ChangeRecord } from './change.js';
import type { LogLayout } from './log-layout.js';
import { EVERY_TENANT } from './record-change.js';
import { changesOf, isShown } from './record-changes.js';

/** True if streams of this tenant are open. */
export type WantedTenant = (tenant_id: string) => boolean;

/** Turns records of the log into changes. Decodes only records that may change what an open stream shows. */
export class RecordReader {
  /** Topics of calls: their records belong to the tenant that they name. Records of others may concern every tenant. */
  private readonly ofOneTenant: ReadonlySet<string>;

  constructor(
    readonly layout: LogLayout,
    private readonly decoder: BatchDecoder,
  ) {
    const several = new Set(['tool-registered', 'configuration-changed', 'security-event', 'dead-letter', 'record-damage']);
    this.ofOneTenant = new Set(layout.topics.filter((topic) => !several.has(topic)));
  }

  /** The changes of records of one slot, in their order. `order` continues from the previous records of the slot. */
  async changes(slot: number, records: readonly LogRecord[], wanted: WantedTenant, order: number): Promise<ChangeRecord[]> {
    const chosen = records.filter((record) => this.isChosen(record, wanted));
    if (chosen.length === 0) return [];
    await this.decoder.learn(chosen);
    let last = order;
    return chosen.flatMap((record) => {
      const at = this.decoder.once(record);
      if (!at) return [];
      const change = changeRecordOf(slot, at, last);
      last = change.order;
      const is_wanted = change.tenant_id === EVERY_TENANT || wanted(change.tenant_id);
      return is_wanted && (change.items.length > 0 || change.unnamed) ? [change] : [];
    });
  }

  private isChosen({ topic, headers, value, decoded }: LogRecord, wanted: WantedTenant): boolean {
    if (headers.event_type !== undefined && !isShown(headers.event_type)) return false;
    if (!this.ofOneTenant.has(topic)) return true;
    const tenant_id = decoded === undefined ? peekTenantId(value) : (decoded as Recorded).event.meta.tenant_id;
    return tenant_id !== undefined && wanted(tenant_id);
  }
}

function changeRecordOf(slot: number, at: Recorded, order: number): ChangeRecord {
  const { event_type, timestamp_ms: at_ms, topic, partition, offset } = at;
  return { ...changesOf(at), event_type, at_ms, topic, partition, offset, slot, order: Math.max(order, at.event.meta.hlc) };
}

/** Sorts records of several slots: by time, and as recorded within a slot. */
export function inOrder(records: ChangeRecord[]): ChangeRecord[] {
  return records.sort((one, other) => one.order - other.order || one.slot - other.slot || one.offset - other.offset);
}
