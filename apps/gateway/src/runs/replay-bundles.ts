import { envelopeText, Refusal } from '@countersign/calls';
import { replayBundle, replayPieces } from '@countersign/decisions';
import { type ConfigurationState, tenantOf } from '@countersign/domain';
import type { AppDeps } from '@countersign/process';
import { listCalls } from '@countersign/store';
import { Gently } from '../counterfactual/gently.js';
import { type RecordingReader, sharedWindow } from '../counterfactual/recording-reader.js';
import type { Transcripts } from './transcripts.js';

const CALLS_MAX = 500;
const CHARACTERS_MAX = 64_000_000;
/** Bundles that one gateway makes concurrently. */
const AT_ONCE = 2;

/** Replay bundles of runs: all data that is needed to decide them again. */
export class ReplayBundles {
  private running = 0;

  constructor(
    private readonly deps: Pick<AppDeps, 'store' | 'clock'>,
    private readonly state: () => ConfigurationState,
    private readonly reader: RecordingReader,
    readonly transcripts: Transcripts,
  ) {}

  /** @returns the bundle as canonical JSON in chunks. */
  async bundle(tenant_id: string, run_id: string, now_ms: number): Promise<string[] | Refusal> {
    if (this.running >= AT_ONCE) return new Refusal('too-many-in-flight', 'other bundles are being built: retry later');
    this.running++;
    try {
      return await this.made(tenant_id, run_id, now_ms);
    } finally {
      this.running--;
    }
  }

  private async made(tenant_id: string, run_id: string, now_ms: number): Promise<string[] | Refusal> {
    const { items: rows, next_cursor } = await listCalls(this.deps.store, { tenant_id, run_id, limit: CALLS_MAX });
    if (next_cursor !== null) return new Refusal('too-much', `the run has more than ${CALLS_MAX} calls`);
    if (rows.length === 0) return new Refusal('not-found', 'the run has no calls', { reason: 'run_not_found' });
    const state = this.state();
    const lane = tenantOf(state, tenant_id)?.lane ?? 'shared';
    const shared_window_ms = sharedWindow(state, tenant_id, []);
    const recording = await this.reader.read({ tenant_id, lane, rows, until_ms: now_ms, shared_window_ms });
    if (!recording) return new Refusal('too-much', 'too many records share the limits of the run');
    const missing = rows.find(({ call_id }) => !recording.calls.get(call_id));
    if (missing)
      return new Refusal('erased', `the records of the call ${missing.call_id} are no longer on the log`, {
        reason: 'record_dropped',
        call_id: missing.call_id,
      });
    const transcript = await this.transcripts.read(tenant_id, run_id);
    const gently = new Gently(() => this.deps.clock.monotonic_ms());
    const call_ids = rows.map(({ call_id }) => call_id);
    const bundle = await gently.steps(replayBundle(recording, { run_id, transcript, call_ids }, envelopeText));
    const pieces = await gently.gathered(replayPieces(bundle), CHARACTERS_MAX);
    return pieces ?? new Refusal('too-much', `the bundle would be longer than ${CHARACTERS_MAX} characters`);
  }
}
