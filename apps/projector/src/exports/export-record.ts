import type { EventCodec, ExportTopic, Meta } from '@countersign/contracts';
import type { AuditEvent } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import type { CaseHistoryWrite, OutboxRow } from '@countersign/store';
import { cloudEventHeaders } from './cloud-event.js';

/** The types of the CloudEvents, by topic. */
const exportTypes: Readonly<Record<ExportTopic, string>> = {
  'audit-view': 'dev.countersign.audit-event.v1',
  'case-history-view': 'dev.countersign.case-history.v1',
};

function auditRecord(codec: EventCodec, { meta, event }: { meta: Meta; event: AuditEvent }): NewRecord {
  const { type, time, caller, on_behalf_of, actor, case_id, run_id, tool, args_hash, result_hash } = event;
  // A row that an older build left in the outbox has no refusal.
  const { decision_id, approval_id, topic, partition, offset, refused_because = null } = event;
  const recorded_at_ms = Date.parse(time);
  const who = { caller, on_behalf_of, actor, case_id, run_id, tool };
  const what = { args_hash, result_hash, decision_id, approval_id, topic, partition, offset, refused_because };
  const value = codec.encode('audit_event_exported', { meta, event_type: type, recorded_at_ms, ...who, ...what });
  const subject = meta.call_id ?? case_id;
  const about = { id: meta.event_id, type: exportTypes['audit-view'], subject, time_ms: recorded_at_ms, tenant_id: meta.tenant_id };
  return { topic: 'audit-view', partition: 0, key: subject, value, headers: cloudEventHeaders(about) };
}

function historyRecord(codec: EventCodec, { meta, line }: { meta: Meta; line: CaseHistoryWrite }): NewRecord {
  const { case_id, seq, type: line_type, at_ms, detail_json } = line;
  const value = codec.encode('case_history_exported', { meta, case_id, seq, line_type, at_ms, detail_json });
  const type = exportTypes['case-history-view'];
  const about = { id: `${line.event_id}:${seq}`, type, subject: case_id, time_ms: at_ms, tenant_id: meta.tenant_id };
  return { topic: 'case-history-view', partition: 0, key: case_id, value, headers: cloudEventHeaders(about) };
}

/** Converts an outbox row to its record: a CloudEvent whose id is derived from the event. */
export function exportRecord(codec: EventCodec, { stream, body }: Pick<OutboxRow, 'stream' | 'body'>): NewRecord {
  const parsed = JSON.parse(body) as never;
  return stream === 'audit-view' ? auditRecord(codec, parsed) : historyRecord(codec, parsed);
}
