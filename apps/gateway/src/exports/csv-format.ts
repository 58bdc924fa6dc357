import { auditColumns } from '@countersign/domain';
import type { ExportFormat, ExportRow } from './export-format.js';

/** A spreadsheet evaluates a cell with this beginning as a formula, also after blanks and in full-width forms. */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/** A quoted cell. Text that a spreadsheet would evaluate gets a leading quote mark, which makes it text. */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return `"${(FORMULA.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
}

/** RFC 4180 with a header line. Absent values are empty cells. */
export class CsvFormat implements ExportFormat {
  begin(): Buffer {
    return Buffer.from(`${auditColumns.join(',')},cursor\r\n`);
  }

  rows(rows: readonly ExportRow[]): Buffer {
    const lines = rows.map(
      ({ event, cursor }) => `${auditColumns.map((column) => csvCell(event[column])).join(',')},${csvCell(cursor)}\r\n`,
    );
    return Buffer.from(lines.join(''));
  }

  end(): Buffer {
    return Buffer.alloc(0);
  }
}
