import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@countersign/contracts';
import type { CheckpointStore, NewestCheckpoint } from '@countersign/evidence';
import { baseOf, coveredEnd, headName } from '@countersign/proofs';
import type { Store } from '@countersign/store';
import { CsvFormat } from '../exports/csv-format.js';
import type { ExportFormat, ExportFormatName, ExportLabel, ExportRow } from '../exports/export-format.js';
import { NdjsonFormat } from '../exports/ndjson-format.js';
import { type AuditEvents, type AuditFilter, type AuditWindow, fits } from './audit-events.js';
import type { AuditReads } from './audit-reads.js';
import { type ExportCursor, exportCursor, isBehind } from './export-cursor.js';
import { FactsOfCalls } from './facts-of-calls.js';
import type { LogMerge, LogStretch, Merged } from './log-merge.js';

export interface ExportAsk {
  tenant_id: string;
  by: Principal;
  format: ExportFormatName;
  filter: AuditFilter;
  /** Continues after this row of the same export. */
  cursor?: ExportCursor | undefined;
  /** Only records after this checkpoint (given by its size): for incremental exports. */
  after_checkpoint?: number | undefined;
  /** The query as received, for the audit record. */
  query: Readonly<Record<string, unknown>>;
}

/** An export that is ready to send. Its checkpoint covers all of its rows. */
export interface OpenExport extends ExportLabel {
  kind: 'open';
  /** Size of the checkpoint; the value for `after_checkpoint`. */
  checkpoint_size: number;
  /** The file in chunks; each is generated on demand. */
  chunks(): AsyncGenerator<Buffer>;
}

const ROWS_AT_ONCE = 500;
const COVERED_WITHIN_MS = 8_000;
const VIEWS_WITHIN_MS = 10_000;

const formats: Readonly<Record<ExportFormatName, (label: ExportLabel) => ExportFormat | Promise<ExportFormat>>> = {
  ndjson: () => new NdjsonFormat(),
  csv: () => new CsvFormat(),
  parquet: async (label) => new (await import('../exports/parquet-format.js')).ParquetFormat(label),
};

export interface ExportParts {
  events: AuditEvents;
  reads: AuditReads;
  checkpoints: CheckpointStore;
  store: Store;
}

/**
 * Audit exports without a size limit: all records of one checkpoint, in a fixed order, generated while the reader consumes them. The log
 * records each export, its reader and the SHA-256 of its bytes, so that a file can be tied to a proven record.
 */
export class AuditExport {
  constructor(private readonly parts: ExportParts) {}

  /** `not_covered`: no checkpoint covers the log yet; `unknown`: the call, case or checkpoint does not exist. */
  async open(ask: ExportAsk): Promise<OpenExport | 'not_covered' | 'unknown'> {
    const window = await this.parts.events.window(ask.tenant_id, ask.filter);
    if (!window) return 'unknown';
    const range = await this.range(ask, window);
    if (typeof range === 'string') return range;
    const label = { export_id: this.parts.reads.newId(), checkpoint: range.checkpoint.record.note };
    const checkpoint_size = range.checkpoint.record.number + 1;
    return { kind: 'open', ...label, checkpoint_size, chunks: () => this.chunks(ask, window, range, label) };
  }

  /** The log ranges of the export: from its start, or its cursor, to the end of the checkpoint. */
  private async range(ask: ExportAsk, window: AuditWindow): Promise<Range | 'not_covered' | 'unknown'> {
    const { cursor, after_checkpoint } = ask;
    const { checkpoints, events } = this.parts;
    const first = after_checkpoint === undefined ? undefined : await checkpoints.at(after_checkpoint - 1);
    if (after_checkpoint !== undefined && !first) return 'unknown';
    const from_ms = cursor ? Math.max(window.from_ms, cursor.order_ms) : window.from_ms;
    const whole = await events.stretches({ ...window, from_ms });
    const checkpoint = cursor ? await checkpoints.at(cursor.checkpoint) : await this.covering(whole);
    if (!checkpoint) return cursor ? 'unknown' : 'not_covered';
    const stretches = whole.map(({ topic, partition, from, end }): LogStretch => {
      const covered = Math.min(end, coveredEnd(checkpoint.heads.values(), { topic, partition }));
      const after = first ? newSince(first, checkpoint, { topic, partition }) : 0;
      return { topic, partition, from: Math.min(covered, Math.max(from, after)), end: covered };
    });
    return { checkpoint, stretches };
  }

  /** The newest checkpoint, once it covers the current end of the log. */
  private async covering(stretches: readonly LogStretch[]): Promise<NewestCheckpoint | undefined> {
    for (const until = performance.now() + COVERED_WITHIN_MS; performance.now() < until; await sleep(50)) {
      const newest = await this.parts.checkpoints.newest();
      const covers = ({ topic, partition, end }: LogStretch) => coveredEnd(newest?.heads.values() ?? [], { topic, partition }) >= end;
      if (newest && stretches.every(covers)) return newest;
    }
    return undefined;
  }

  private async *chunks(ask: ExportAsk, window: AuditWindow, range: Range, label: ExportLabel): AsyncGenerator<Buffer> {
    const { tenant_id, by, query } = ask;
    const digest = createHash('sha256');
    const given = { items: 0, isWhole: false };
    const hashed = (bytes: Buffer): Buffer => {
      digest.update(bytes);
      return bytes;
    };
    const record = () =>
      this.parts.reads.record({
        ...{ tenant_id, by, what: 'export', query, items: given.items, event_id: label.export_id },
        ...(given.isWhole ? { sha256: digest.digest('hex') } : {}),
        checkpoint_size: range.checkpoint.record.number + 1,
      });
    try {
      const format = await formats[ask.format](label);
      const begin = hashed(format.begin());
      if (begin.length > 0) yield begin;
      for await (const rows of this.rows(ask, window, range)) {
        given.items += rows.length;
        const bytes = hashed(format.rows(rows));
        if (bytes.length > 0) yield bytes;
      }
      const end = hashed(format.end());
      if (end.length > 0) yield end;
      given.isWhole = true;
    } finally {
      // Record aborted exports too: their rows were read. The response ends only after the record.
      await record();
    }
  }

  private async *rows(ask: ExportAsk, window: AuditWindow, { checkpoint, stretches }: Range): AsyncGenerator<ExportRow[]> {
    const merge = this.parts.events.merge(ask.tenant_id, window, stretches);
    const facts = new FactsOfCalls(this.parts.store, this.parts.events.refusals, VIEWS_WITHIN_MS);
    for (;;) {
      const merged = await piece(merge, ask.cursor);
      if (merged.length === 0) return;
      const events = await facts.complete(merged);
      const rows = merged.map((each, at) => ({ each, event: events[at] as (typeof events)[number] }));
      const number = checkpoint.record.number;
      yield rows.filter(({ event }) => fits(event, window)).map(({ each, event }) => ({ event, cursor: exportCursor(number, each) }));
    }
  }
}

interface Range {
  checkpoint: NewestCheckpoint;
  stretches: LogStretch[];
}

/**
 * The first offset of a partition that the earlier checkpoint does not cover. A later generation of a tree replaces the records from its
 * base on.
 */
function newSince(earlier: NewestCheckpoint, later: NewestCheckpoint, place: { topic: string; partition: number }): number {
  const opened = [...later.heads.values()].filter(
    (head) => head.topic === place.topic && head.partition === place.partition && !earlier.heads.has(headName(head)),
  );
  return Math.min(coveredEnd(earlier.heads.values(), place), ...opened.map(baseOf));
}

/** The next rows after the cursor; empty at the end. */
async function piece(merge: LogMerge, cursor: ExportCursor | undefined): Promise<Merged[]> {
  const merged: Merged[] = [];
  while (merged.length < ROWS_AT_ONCE) {
    const next = await merge.next();
    if (next === undefined || next === 'pause') break;
    if (!cursor || isBehind(next, cursor)) merged.push(next);
  }
  return merged;
}
