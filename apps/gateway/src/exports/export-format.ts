import type { AuditEvent } from '@countersign/domain';

/** A row of an export: an audit event, and the cursor that continues after it. */
export interface ExportRow {
  event: AuditEvent;
  cursor: string;
}

/** Metadata of an export, for formats that have a place for it. */
export interface ExportLabel {
  export_id: string;
  /** C2SP signed note; covers every record in the export. */
  checkpoint: string;
}

/** Encodes rows as a file in chunks. A returned chunk is complete and never changes. */
export interface ExportFormat {
  begin(): Buffer;
  rows(rows: readonly ExportRow[]): Buffer;
  end(): Buffer;
}

export const exportFormats = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormatName = (typeof exportFormats)[number];

export const contentTypes: Readonly<Record<ExportFormatName, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
};
