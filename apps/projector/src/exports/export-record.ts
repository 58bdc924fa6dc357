import type { EventCodec, Meta } from '@countersign/contracts';
import type { AuditEvent } from '@countersign/domain';
import type { NewRecord } from '@countersign/event-log';
import { cloudEventHeaders } from '@countersign/process';
import type { CaseHistoryWrite, OutboxRow } from '@countersign/store';

function auditRecord(codec: EventCodec, { meta, event }: { meta: Meta; event: AuditEvent }): NewRecord {
  const { type, time, caller, on_behalf_of, actor, case_id, run_id, tool, args_hash, result_hash } = event;
  const { decision_id, approval_id, topic, partition, offset } = event;
  const time_ms = Date.parse(time);
  const who = { caller, on_behalf_of, actor, case_id, run_id, tool };
  const what = { args_hash, result_hash, decision_id, approval_id, topic, partition, offset };
  const value = codec.encode('audit_event_exported', { meta, event_type: type, recorded_at_ms: time_ms, ...who, ...what });
  const subject = meta.call_id ?? case_id ?? meta.event_id;
  const headers = cloudEventHeaders({ event_type: 'audit_event_exported', version: 1, meta, subject, time_ms });
  return { topic: 'audit-view', partition: 0, key: subject, value, headers };
}

function historyRecord(codec: EventCodec, { meta, line }: { meta: Meta; line: CaseHistoryWrite }): NewRecord {
  const { case_id, seq, type: line_type, at_ms, detail_json } = line;
  const value = codec.encode('case_history_exported', { meta, case_id, seq, line_type, at_ms, detail_json });
  const named = { ...meta, event_id: `${meta.event_id}:${seq}` };
  const headers = cloudEventHeaders({ event_type: 'case_history_exported', version: 1, meta: named, subject: case_id, time_ms: at_ms });
  return { topic: 'case-history-view', partition: 0, key: case_id, value, headers };
}

/** A row of the outbox as the record that analysts read: a CloudEvent whose id follows from the event. */
export function exportRecord(codec: EventCodec, { stream, body }: Pick<OutboxRow, 'stream' | 'body'>): NewRecord {
  const parsed = JSON.parse(body) as never;
  return stream === 'audit-view' ? auditRecord(codec, parsed) : historyRecord(codec, parsed);
}
