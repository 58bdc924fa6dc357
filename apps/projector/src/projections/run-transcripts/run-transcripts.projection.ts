import { type RunTranscriptRow, type Statement, runTranscriptTables as set, upsertRunTranscripts } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

class PendingTranscripts implements PendingRows {
  private readonly rows = new Map<string, RunTranscriptRow>();

  fold({ at }: Change): void {
    if (at.event_type !== 'run_transcript_kept') return;
    const { meta, run_id, blob, bytes, messages, kept_at_ms } = at.event;
    const named = { tenant_id: storable(meta.tenant_id), run_id: storable(run_id) };
    this.rows.set(JSON.stringify(named), { ...named, blob, bytes, messages, kept_at_ms, source_offset: at.offset });
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], upsertRunTranscripts);
  }
}

/** Where the transcripts of runs are stored. */
export const runTranscripts: Projection = { set, empty: () => new PendingTranscripts() };
