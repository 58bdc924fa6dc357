import { type AuditEvent, auditColumns } from '@countersign/domain';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { ExportFormat, ExportLabel, ExportRow } from './export-format.js';

/** Rows of one row group, which is held in memory. */
const GROUP_ROWS = 5_000;

type Column = (typeof auditColumns)[number];
type Kind = 'STRING' | 'INT32' | 'INT64' | 'TIMESTAMP';

const kindOf = (column: Column): Kind => {
  if (column === 'time') return 'TIMESTAMP';
  if (column === 'partition') return 'INT32';
  return column === 'hlc' || column === 'offset' ? 'INT64' : 'STRING';
};

const elements = {
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  INT32: { type: 'INT32' },
  INT64: { type: 'INT64' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const;

function cellOf(event: AuditEvent, column: Column): string | number | bigint | Date | null {
  const value = event[column];
  if (value === null) return null;
  switch (kindOf(column)) {
    case 'TIMESTAMP':
      return new Date(value);
    case 'INT64':
      return BigInt(value);
    default:
      return value;
  }
}

/** Apache Parquet with Snappy, one row group per 5,000 rows; the key-value metadata contain the checkpoint and the export id. */
export class ParquetFormat implements ExportFormat {
  private readonly bytes = new ByteWriter(64 * 1024);
  private readonly file: ParquetWriter;
  private held: AuditEvent[] = [];

  constructor({ export_id, checkpoint }: ExportLabel) {
    const columns = auditColumns.map((name) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[kindOf(name)] }));
    this.file = new ParquetWriter({
      writer: this.bytes,
      schema: [{ name: 'audit_event', num_children: columns.length }, ...columns],
      kvMetadata: [
        { key: 'countersign.export_id', value: export_id },
        { key: 'countersign.checkpoint', value: checkpoint },
      ],
      createdBy: 'countersign',
    });
  }

  begin(): Buffer {
    return this.taken();
  }

  rows(rows: readonly ExportRow[]): Buffer {
    for (const { event } of rows) this.held.push(event);
    if (this.held.length >= GROUP_ROWS) this.writeGroup(this.held.splice(0, GROUP_ROWS));
    return this.taken();
  }

  end(): Buffer {
    if (this.held.length > 0) this.writeGroup(this.held.splice(0));
    this.file.finish();
    return this.taken();
  }

  private writeGroup(events: readonly AuditEvent[]): void {
    const columnData = auditColumns.map((name) => ({ name, data: events.map((event) => cellOf(event, name)) }));
    this.file.write({ columnData, rowGroupSize: GROUP_ROWS });
  }

  /** Bytes written since the last call; the writer's offset keeps counting. */
  private taken(): Buffer {
    const bytes = Buffer.from(this.bytes.getBytes());
    this.bytes.index = 0;
    return bytes;
  }
}
