import { emptyLedger, judgeChange, type PlacedEvent } from '@countersign/domain';
import { CONFIGURATION_TOPIC } from '@countersign/process';
import type { CaseKey, StoredCase } from '@countersign/store';
import { storable } from '../projections/projection.js';
import type { CallRecords } from './call-records.js';

export const caseName = ({ tenant_id, case_id }: CaseKey): string => `${tenant_id} ${case_id}`;

function evolved(before: StoredCase | undefined, { event, event_type, offset }: PlacedEvent): StoredCase | undefined {
  if (event_type !== 'case_set') return before;
  const { meta, case_id, state, title, external_id, metadata_json, changed_at_ms } = event;
  return {
    tenant_id: storable(meta.tenant_id),
    case_id: storable(case_id),
    state,
    title: storable(title ?? before?.title ?? null),
    external_id: storable(external_id ?? before?.external_id ?? null),
    metadata: storable(metadata_json ?? before?.metadata ?? null),
    opened_at_ms: before?.opened_at_ms ?? changed_at_ms,
    changed_at_ms,
    source_offset: offset,
  };
}

/** Folds `configuration-changed`, which is never dropped, into the rows that cases should have. */
export class CaseRecords {
  constructor(private readonly records: CallRecords) {}

  get pace() {
    return this.records.pace;
  }

  /** Number of records, which is at least the number of cases. */
  size(): Promise<number> {
    return this.records.log.head(CONFIGURATION_TOPIC, 0);
  }

  /** The cases that `isWanted` names, as of the records below an offset. */
  async fold(below: number, isWanted: (name: string) => boolean): Promise<Map<string, StoredCase>> {
    const cases = new Map<string, StoredCase>();
    const ledger = emptyLedger();
    const stretch = { topic: CONFIGURATION_TOPIC, partition: 0, from: 0, below, until_ms: Number.POSITIVE_INFINITY };
    for await (const events of this.records.read(stretch)) {
      for (const at of events) {
        // A change whose base had changed took no effect.
        if (judgeChange(ledger, at) === 'refused' || at.event_type !== 'case_set') continue;
        const name = caseName({ tenant_id: storable(at.event.meta.tenant_id), case_id: storable(at.event.case_id) });
        const next = isWanted(name) ? evolved(cases.get(name), at) : undefined;
        if (next) cases.set(name, next);
      }
    }
    return cases;
  }
}
