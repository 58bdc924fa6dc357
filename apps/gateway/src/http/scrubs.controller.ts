import { type Caller, Refusal, Views } from '@countersign/calls';
import { uuidv7 } from '@countersign/contracts';
import { askForScrub, readScrub, type ScrubRun } from '@countersign/store';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

export const scrubRequest = z.strictObject({
  views: z.boolean().default(false).describe('compare all rows of calls and of tool_executions with the log too'),
});

const runId = z.uuid();
const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function face({ asked_at_ms, started_at_ms, ended_at_ms, ...run }: ScrubRun): Record<string, unknown> {
  const times = { asked_at: timeText(asked_at_ms), started_at: timeText(started_at_ms), ended_at: timeText(ended_at_ms) };
  return { ...run, status: ended_at_ms === null ? 'running' : 'ended', ...times };
}

/** `/v1/scrubs`: comparing all of the record with what was signed, now. For tenant `default`, which administers the installation. */
@Controller('v1/scrubs')
export class ScrubsController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Post()
  start(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async () => {
      const body = parseBody(scrubRequest, request.body);
      if (body instanceof Refusal) return body;
      const asked_at_ms = this.room.clock.now_ms();
      const run = await askForScrub(this.views.store, { run_id: uuidv7(asked_at_ms), views: body.views, asked_at_ms });
      return { status: 202, body: face(run), headers: { location: `/v1/scrubs/${run.run_id}` } };
    });
  }

  @Get(':run_id')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async () => {
      const id = runId.safeParse((request.params as { run_id: string }).run_id);
      const run = id.success ? await readScrub(this.views.store, id.data) : undefined;
      return run ? ok(face(run)) : new Refusal('not-found', 'there is no comparison of this id (any more)');
    });
  }

  private serve(request: HttpRequest, reply: HttpReply, work: (caller: Caller) => Promise<Answer | Refusal>): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) =>
      caller.tenant_id === DEFAULT_TENANT
        ? work(caller)
        : new Refusal('forbidden', `the record is compared as a whole, by tenant ${DEFAULT_TENANT}`),
    );
  }
}
