import { Refusal, Views, viewsBehind } from '@countersign/calls';
import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { parseBody } from '../requests/body-issues.js';
import { tooDeep } from '../requests/nesting.js';
import { ReplayBundles } from '../runs/replay-bundles.js';
import { transcriptRequest } from '../runs/transcript-request.js';
import type { ApiRoute } from './api-route.js';
import { Face } from './face.js';
import { positionText, seenOf } from './positions.js';
import { type HttpReply, type HttpRequest, ok, okPieces } from './reply.js';

const TRANSCRIPT = '/v1/runs/{run_id}/transcript';
const BUNDLE = '/v1/runs/{run_id}/replay-bundle';
const writers = ['agent', 'operator'] as const;
const readers = ['operator', 'auditor', 'policy_admin'] as const;
const RUN_ID = /^.{1,200}$/s;

export const runRoutes: readonly ApiRoute[] = [
  {
    method: 'put',
    path: TRANSCRIPT,
    summary: 'Keep what a run was told and said',
    tag: 'runs',
    body: transcriptRequest,
    answers: { '200': 'Object' },
    roles: writers,
  },
  {
    method: 'get',
    path: BUNDLE,
    summary: 'All that is needed to decide a run again',
    tag: 'runs',
    answers: { '200': 'Object' },
    roles: readers,
  },
];

/** `/v1/runs`: transcripts, and bundles that replay. */
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly face: Face,
    private readonly bundles: ReplayBundles,
    private readonly room: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Put(':run_id/transcript')
  keep(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, writers, async ({ tenant_id, principal }) => {
      const body = tooDeep(request.body) ?? parseBody(transcriptRequest, request.body);
      if (body instanceof Refusal) return body;
      const { run_id } = request.params as { run_id: string };
      if (!RUN_ID.test(run_id)) return new Refusal('invalid-request', 'a run_id has 1 to 200 characters');
      // The calls of the run say whom it is about.
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      const done = await this.bundles.transcripts.keep(tenant_id, run_id, body, principal);
      if (done instanceof Refusal) return done;
      const { at, kept_at_ms, ...kept } = done;
      this.views.answered.note(at);
      const kept_at = new Date(kept_at_ms).toISOString();
      return ok({ run_id, ...kept, digest: kept.blob.slice(0, 64), kept_at }, { 'countersign-position': positionText(at) });
    });
  }

  @Get(':run_id/replay-bundle')
  bundle(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, readers, async ({ tenant_id }) => {
      const current = await this.views.current(seenOf(request));
      if (!current) return viewsBehind();
      const { run_id } = request.params as { run_id: string };
      const bundle = await this.bundles.bundle(tenant_id, run_id, this.room.clock.now_ms());
      return bundle instanceof Refusal ? bundle : okPieces(bundle);
    });
  }
}
