import { type Caller, Refusal, Views } from '@countersign/calls';
import { type ProjectionReport, projectionDigests, projectionReports } from '@countersign/store';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { DEFAULT_TENANT } from '../identity/tenants.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { positionText } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const noSuch = (): Refusal => new Refusal('not-found', 'there is no projection of this name');
const nameOf = (request: HttpRequest): string => (request.params as { name: string }).name;

function face({ name, version, tables, live, building }: ProjectionReport): Record<string, unknown> {
  const since = building?.started_at_ms ?? null;
  const { started_at_ms: _, ...progress } = building ?? { started_at_ms: null };
  return {
    name,
    version,
    tables,
    status: building ? 'building' : 'live',
    live,
    building: building && { ...progress, started_at: since === null ? null : new Date(since).toISOString() },
  };
}

/** `/v1/projections`: what is folded from the log, and folding it anew. For tenant `default`, which administers the installation. */
@Controller('v1/projections')
export class ProjectionsController {
  constructor(
    private readonly face: Face,
    private readonly room: ConfigurationRoom,
    private readonly views: Views,
  ) {}

  @Get()
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async () => {
      const page = listed(request);
      if (page instanceof Refusal) return page;
      return ok(pageOf(await projectionReports(this.views.store), page, ({ name }) => name, face));
    });
  }

  @Get(':name')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async () => {
      const report = await this.report(nameOf(request));
      return report ? ok(face(report)) : noSuch();
    });
  }

  /** Reads every row: for comparing what is live before and after. */
  @Get(':name/digest')
  digest(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async () => {
      const tables = await projectionDigests(this.views.store, nameOf(request));
      return tables ? ok({ name: nameOf(request), tables }) : noSuch();
    });
  }

  @Post(':name/rebuild')
  rebuild(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.serve(request, reply, async (caller) => {
      const projection = nameOf(request);
      if (!(await this.report(projection))) return noSuch();
      const requested_at_ms = this.room.clock.now_ms();
      const event = { projection, by: caller.principal, requested_at_ms };
      const at = await this.room.writer.set(caller.tenant_id, 'projection_rebuild_requested', event);
      const headers = { location: `/v1/projections/${projection}`, 'countersign-position': positionText(at) };
      return { status: 202, body: { name: projection, asked_offset: at.offset }, headers };
    });
  }

  private async report(name: string): Promise<ProjectionReport | undefined> {
    return (await projectionReports(this.views.store)).find((report) => report.name === name);
  }

  private serve(request: HttpRequest, reply: HttpReply, work: (caller: Caller) => Promise<Answer | Refusal>): Promise<void> {
    return this.face.serve(request, reply, ['operator'], async (caller) =>
      caller.tenant_id === DEFAULT_TENANT
        ? work(caller)
        : new Refusal('forbidden', `projections are administered in tenant ${DEFAULT_TENANT}`),
    );
  }
}
