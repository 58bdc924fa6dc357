import { type AuditEvent, auditColumns } from '@countersign/domain';
import fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { CsvFormat, csvCell } from './csv-format.js';
import type { ExportRow } from './export-format.js';
import { ParquetFormat } from './parquet-format.js';

const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  event_id: 'e1',
  type: 'tool_executed',
  time: '2026-11-22T05:00:00.123Z',
  tenant_id: 'acme',
  caller: 'agent:bot',
  on_behalf_of: null,
  actor: null,
  call_id: '0-x',
  case_id: null,
  run_id: null,
  tool: 'pay',
  args_hash: 'aa',
  result_hash: null,
  decision_id: null,
  approval_id: null,
  causation_id: null,
  correlation_id: 't',
  hlc: 1_790_000_000_000_123,
  topic: 'tool-executed',
  partition: 3,
  offset: 9,
  refused_because: null,
  ...more,
});
const row = (more: Partial<AuditEvent> = {}): ExportRow => ({ event: event(more), cursor: 'c' });

/** Parses RFC 4180 strictly. */
function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (let match = cells.exec(text); match && match.index < text.length; match = cells.exec(text)) {
    (lines.at(-1) as string[]).push(match[1]?.replaceAll('""', '"') ?? (match[2] as string));
    if (match[3] === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

describe('CSV', () => {
  test('any text is read back unchanged, except for the mark before text that a spreadsheet would evaluate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (run_id) => {
        const text = new CsvFormat().rows([row({ run_id })]).toString();
        const cell = parseCsv(text)[0]?.[auditColumns.indexOf('run_id')];
        expect(cell === run_id || cell === `'${run_id}`).toBe(true);
      }),
    );
  });

  test('no cell is a formula', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r\n=cmd', '\ufeff=1', '＝1', '=HYPERLINK("http://x","y")']) {
      expect(csvCell(text).startsWith(`"'`)).toBe(true);
    }
    expect([csvCell('a=1'), csvCell('agent:bot'), csvCell(null), csvCell(7)]).toEqual(['"a=1"', '"agent:bot"', '', '7']);
  });

  test('the header names the columns, and each line has the same number of cells', () => {
    const file = new CsvFormat();
    const lines = parseCsv(Buffer.concat([file.begin(), file.rows([row(), row({ tool: 'a,"b"\r\nc' })]), file.end()]).toString());
    expect(lines[0]).toEqual([...auditColumns, 'cursor']);
    expect(lines.map((cells) => cells.length)).toEqual(Array(3).fill(auditColumns.length + 1));
    expect(lines[2]?.[auditColumns.indexOf('tool')]).toBe('a,"b"\r\nc');
  });
});

describe('Parquet', () => {
  test('another library reads types, absent values, several row groups and metadata', async () => {
    const file = new ParquetFormat({ export_id: 'x1', checkpoint: 'note\n' });
    const rows = Array.from({ length: 12_345 }, (_, n) => row({ offset: n, run_id: n % 3 === 0 ? null : `run "${n}"` }));
    const parts = [file.begin()];
    for (let from = 0; from < rows.length; from += 500) parts.push(file.rows(rows.slice(from, from + 500)));
    parts.push(file.end());
    const bytes = Buffer.concat(parts);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const metadata = parquetMetadata(buffer);
    expect(metadata.row_groups.length).toBe(3);
    expect(metadata.key_value_metadata).toEqual([
      { key: 'countersign.export_id', value: 'x1' },
      { key: 'countersign.checkpoint', value: 'note\n' },
    ]);
    const read = await parquetReadObjects({ file: buffer });
    expect(read.length).toBe(rows.length);
    const expected = ({ event: each }: ExportRow) => ({
      ...each,
      time: new Date(each.time),
      hlc: BigInt(each.hlc),
      offset: BigInt(each.offset),
    });
    for (const n of [0, 1, 4_999, 5_000, 12_344]) expect(read[n]).toEqual(expected(rows[n] as ExportRow));
    expect(read.reduce((sum, { offset }) => sum + Number(offset), 0)).toBe((12_345 * 12_344) / 2);
  });

  test('a file without rows is valid', async () => {
    const file = new ParquetFormat({ export_id: 'x1', checkpoint: '' });
    const bytes = Buffer.concat([file.begin(), file.end()]);
    expect(parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer).num_rows).toBe(0n);
  });
});
