import { type ReplayBundle, replayBundle } from '@countersign/decisions';
import { type ConfigurationState, tenantOf, unpackCall } from '@countersign/domain';
import { type CallRow, listCalls, type Store } from '@countersign/store';
import type { RecordingReader } from '../counterfactual/recording-reader.js';
import { sharedWindow } from '../counterfactual/recording-reader.js';
import { envelopeText } from '../http/envelope.js';
import type { Transcripts } from './transcripts.js';

const CALLS_MAX = 500;

/** Bundles of runs: all that is needed to decide them again. */
export class ReplayBundles {
  constructor(
    private readonly store: Store,
    private readonly state: () => ConfigurationState,
    private readonly reader: RecordingReader,
    readonly transcripts: Transcripts,
  ) {}

  /** Undefined: the tenant has no call of that run. */
  async bundle(tenant_id: string, run_id: string, now_ms: number): Promise<ReplayBundle | 'too_much' | undefined> {
    const { items: rows, next_cursor } = await listCalls(this.store, { tenant_id, run_id, limit: CALLS_MAX });
    if (next_cursor !== null) return 'too_much';
    if (rows.length === 0) return undefined;
    const state = this.state();
    const lane = tenantOf(state, tenant_id)?.lane ?? 'shared';
    const shared_window_ms = sharedWindow(state, tenant_id, []);
    const recording = await this.reader.read({ tenant_id, lane, rows, until_ms: now_ms, shared_window_ms });
    if (!recording) return 'too_much';
    const transcript = await this.transcripts.read(tenant_id, run_id);
    return replayBundle(recording, { run_id, transcript, about: rows.map(withEnvelope) });
  }
}

function withEnvelope({ call_id, state }: CallRow): { call_id: string; envelope: unknown } {
  return { call_id, envelope: JSON.parse(envelopeText(unpackCall(state))) as unknown };
}
