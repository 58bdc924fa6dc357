import { type Caller, Refusal, type Seen, Views, viewsBehind } from '@countersign/calls';
import type { LogPosition } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { ReplayBundles } from './replay-bundles.js';
import type { KeptTranscriptAnswer } from './runs.schemas.js';
import type { TranscriptRequest } from './transcript-request.js';

/** Transcripts and replay bundles of runs. */
@Injectable()
export class RunsService {
  constructor(
    private readonly bundles: ReplayBundles,
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  async keep(
    { tenant_id, principal }: Caller,
    run_id: string,
    body: TranscriptRequest,
    seen: Seen,
  ): Promise<{ transcript: KeptTranscriptAnswer; at: LogPosition } | Refusal> {
    // The calls of the run determine its subjects.
    if (!(await this.views.current(seen))) return viewsBehind();
    const done = await this.bundles.transcripts.keep(tenant_id, run_id, body, principal);
    if (done instanceof Refusal) return done;
    const { at, kept_at_ms, ...kept } = done;
    this.views.answered.note(at);
    return { transcript: { run_id, ...kept, digest: kept.blob.slice(0, 64), kept_at: new Date(kept_at_ms).toISOString() }, at };
  }

  /** @returns canonical JSON in chunks. */
  async bundle(tenant_id: string, run_id: string, seen: Seen): Promise<string[] | Refusal> {
    if (!(await this.views.current(seen))) return viewsBehind();
    return this.bundles.bundle(tenant_id, run_id, this.configuration.clock.now_ms());
  }
}
