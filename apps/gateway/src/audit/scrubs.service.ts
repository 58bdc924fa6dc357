import { Refusal, Views } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { askForScrub, readScrub, type ScrubRun } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isoOf } from '../answers/shared-schemas.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import type { ScrubAnswer, ScrubRequest } from './scrubs.schemas.js';

const runId = z.uuid();

function answerOf({ asked_at_ms, started_at_ms, ended_at_ms, ...run }: ScrubRun): ScrubAnswer {
  const times = { asked_at: new Date(asked_at_ms).toISOString(), started_at: isoOf(started_at_ms), ended_at: isoOf(ended_at_ms) };
  return { ...run, status: ended_at_ms === null ? 'running' : 'ended', ...times };
}

/** Scrubs of the whole record. The projector that signs runs them. */
@Injectable()
export class ScrubsService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly views: Views,
  ) {}

  /** Requests a scrub; returns the running one if there is one. */
  async start({ views }: ScrubRequest): Promise<ScrubAnswer> {
    const asked_at_ms = this.configuration.clock.now_ms();
    return answerOf(await askForScrub(this.views.store, { run_id: uuidv7(asked_at_ms), views, asked_at_ms }));
  }

  async read(run_id: string): Promise<ScrubAnswer | Refusal> {
    const run = runId.safeParse(run_id).success ? await readScrub(this.views.store, run_id) : undefined;
    return run
      ? answerOf(run)
      : new Refusal('not-found', 'no comparison has this id; ended comparisons are kept for a limited time', {
          reason: 'comparison_not_found',
        });
  }
}
