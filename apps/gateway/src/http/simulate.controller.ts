import { Refusal, Views, viewsBehind } from '@countersign/calls';
import { type CallState, catalogued, unpackCall } from '@countersign/domain';
import type { BundleText, PolicyBundle } from '@countersign/policy';
import { bundlesAhead, TenantMappings } from '@countersign/process';
import { type Cursor, listCalls, parseCursor } from '@countersign/store';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { draftBundle, parseBundle } from '../policies/bundle-request.js';
import { EarlierHistory } from '../policies/earlier-history.js';
import { PolicyRoom } from '../policies/policy-room.js';
import { type SimulatedAt, Simulation } from '../policies/simulation.js';
import { SimulationReports } from '../policies/simulation-reports.js';
import { Face } from './face.js';
import { seenOf } from './positions.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

const PAGE = 500;
const CALLS_MAX = 20_000;
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** `POST /v1/policies:simulate`: a draft or a published version, and which recorded calls. */
export const simulateRequest = z
  .strictObject({
    bundle: draftBundle.optional(),
    version: z.string().max(64).optional(),
    call_ids: z.array(z.string().max(100)).min(1).max(1000).optional(),
    case_id: z.string().max(200).optional(),
    from: time.optional(),
    to: time.optional(),
    limit: z.int().min(1).max(CALLS_MAX).default(5000).describe('newest calls first'),
  })
  .refine(({ bundle, version }) => (bundle === undefined) !== (version === undefined), 'name a bundle or a version');

type SimulateRequest = z.infer<typeof simulateRequest>;

/** What a draft would have ruled on recorded calls. Changes nothing. */
@Controller('v1')
export class SimulateController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly reports: SimulationReports,
    private readonly views: Views,
  ) {}

  // A double colon is a literal one in Fastify's routes.
  @Post('policies::simulate')
  @HttpCode(200)
  simulate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin', 'auditor'], async ({ tenant_id }) => {
      const body = parseBundle(simulateRequest, request.body);
      if (body instanceof Refusal) return body;
      const draft = await this.draft(tenant_id, body);
      if (draft instanceof Refusal) return draft;
      if (!(await this.views.current(seenOf(request)))) return viewsBehind();
      return this.run(tenant_id, body, draft);
    });
  }

  private async draft(tenant_id: string, { bundle, version }: SimulateRequest): Promise<BundleText | Refusal> {
    if (bundle) return this.room.text(tenant_id, 'draft', bundle as PolicyBundle);
    const published = this.room.shelf(tenant_id).versions.get(version as string);
    return published ?? new Refusal('not-found', `there is no policy ${version}`);
  }

  private async run(tenant_id: string, asked: SimulateRequest, draft: BundleText): Promise<Answer> {
    await bundlesAhead.compile(draft);
    const simulation = new Simulation(
      { rulings: this.room.rulings, mappings: new TenantMappings(this.room.configuration) },
      tenant_id,
      draft,
      this.at(tenant_id),
    );
    const earlier = new EarlierHistory(this.views.store, tenant_id);
    for await (const calls of this.recorded(tenant_id, asked))
      for (const call of await this.views.readable.states(tenant_id, calls))
        await simulation.judge(this.room.configuration.state, call, await this.told(tenant_id, call, draft, earlier));
    const { report } = simulation;
    return ok({ ...report, simulation: this.reports.prove(tenant_id, report) });
  }

  private at(tenant_id: string): SimulatedAt {
    const { configuration } = this.room;
    const made_at = new Date(configuration.clock.now_ms()).toISOString();
    return { made_at, config_offset: configuration.state.config_offset, active: this.room.shelf(tenant_id).active };
  }

  private async told(tenant_id: string, state: CallState, draft: BundleText, earlier: EarlierHistory): Promise<string | undefined> {
    const { call } = state;
    const tool = call && catalogued(this.room.configuration.state, call.tool, call.version);
    const uses = tool && this.room.rulings.historyAsked(this.room.configuration.state, tenant_id, tool.contract, draft);
    return uses ? earlier.of(state, uses) : undefined;
  }

  /** The calls asked for, a page at a time, newest first. */
  private async *recorded(tenant_id: string, { call_ids, case_id, from, to, limit }: SimulateRequest): AsyncGenerator<CallState[]> {
    if (call_ids) {
      const found = await Promise.all(call_ids.map((call_id) => this.views.call(tenant_id, call_id)));
      yield found.filter((call) => call !== undefined);
      return;
    }
    const range = {
      ...(case_id ? { case_id } : {}),
      ...(from === undefined ? {} : { from_ms: from }),
      ...(to === undefined ? {} : { to_ms: to }),
    };
    let after: Cursor | undefined;
    for (let left = limit; left > 0; ) {
      const { items, next_cursor } = await listCalls(this.views.store, {
        tenant_id,
        limit: Math.min(left, PAGE),
        ...range,
        ...(after ? { after } : {}),
      });
      yield items.map(({ state }) => unpackCall(state));
      left -= items.length;
      after = next_cursor === null ? undefined : parseCursor(next_cursor);
      if (!after) return;
    }
  }
}
