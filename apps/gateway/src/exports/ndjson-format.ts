import type { ExportFormat, ExportRow } from './export-format.js';

const NOTHING = Buffer.alloc(0);

/** One JSON object per line, `cursor` last. */
export class NdjsonFormat implements ExportFormat {
  begin(): Buffer {
    return NOTHING;
  }

  rows(rows: readonly ExportRow[]): Buffer {
    return Buffer.from(rows.map(({ event, cursor }) => `${JSON.stringify({ ...event, cursor })}\n`).join(''));
  }

  end(): Buffer {
    return NOTHING;
  }
}
