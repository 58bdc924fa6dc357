import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setCase(state: ConfigurationState, event: EventMap['case_set']): void {
  const { cases } = tenantPart(state, event.meta.tenant_id);
  const { case_id, changed_at_ms } = event;
  const before = cases.get(case_id);
  cases.set(case_id, {
    case_id,
    state: event.state,
    title: event.title ?? before?.title ?? null,
    external_id: event.external_id ?? before?.external_id ?? null,
    metadata_json: event.metadata_json ?? before?.metadata_json ?? null,
    opened_at_ms: before?.opened_at_ms ?? changed_at_ms,
    changed_at_ms,
  });
}
