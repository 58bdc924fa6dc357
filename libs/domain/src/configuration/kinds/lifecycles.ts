import type { EventMap } from '@countersign/contracts';
import { readEvaluation, versionKey } from '../../registry/record.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setLifecycle(state: ConfigurationState, event: EventMap['tool_lifecycle_set']): void {
  const { lifecycles } = tenantPart(state, event.meta.tenant_id);
  const { sunset_at_ms = null, reason = null, use_instead = null, changed_at_ms } = event;
  const ofTool = lifecycles.get(event.tool) ?? new Map();
  lifecycles.set(event.tool, ofTool.set(event.version, { state: event.state, sunset_at_ms, reason, use_instead, changed_at_ms }));
  state.revocation_epoch++;
}

export function setPin(state: ConfigurationState, event: EventMap['tool_pin_set']): void {
  tenantPart(state, event.meta.tenant_id).pins.set(versionKey(event.tool, event.version), event.pin);
  state.revocation_epoch++;
}

export function setEvaluation(state: ConfigurationState, event: EventMap['tool_evaluation_set']): void {
  const { tool, version, contract_digest, passed, failed, cases_json, verified_at_ms } = event;
  const verified_at = new Date(verified_at_ms).toISOString();
  const cases = `{"cases":${cases_json}}`;
  const read = readEvaluation(
    `${JSON.stringify({ tool, version, contract_digest, passed, failed, verified_at }).slice(0, -1)},${cases.slice(1)}`,
  );
  if (read) tenantPart(state, event.meta.tenant_id).evaluations.set(versionKey(tool, version), read);
}

export function setAudit(state: ConfigurationState, event: EventMap['tool_audit_set']): void {
  const { tool, version, audit_status, auditor, report, changed_at_ms } = event;
  tenantPart(state, event.meta.tenant_id).audits.set(versionKey(tool, version), { audit_status, auditor, report, changed_at_ms });
}

export function setAdapterPin(state: ConfigurationState, event: EventMap['adapter_pin_set']): void {
  const { environment, adapter, adapter_version, protocol_version, changed_at_ms } = event;
  const key = `${environment}/${adapter}`;
  if (adapter_version === null && protocol_version === null) state.adapter_pins.delete(key);
  else state.adapter_pins.set(key, { environment, adapter, adapter_version, protocol_version, changed_at_ms });
  state.revocation_epoch++;
}

export function setReported(state: ConfigurationState, event: EventMap['tool_notice_told']): void {
  tenantPart(state, event.meta.tenant_id).told.add(event.notice_id);
}
