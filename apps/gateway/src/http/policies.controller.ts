import { sha256Hex } from '@countersign/contracts';
import type { BundleShelf } from '@countersign/domain';
import type { PolicyBundle } from '@countersign/policy';
import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import type { Caller } from '../identity/authenticator.js';
import { activateRequest, parseBundle, policySettings, publishRequest, RESERVED_VERSIONS } from '../policies/bundle-request.js';
import { BUNDLE_SEMANTICS, bundleFace, findingFaces, PolicyRoom } from '../policies/policy-room.js';
import { type ReportProof, SimulationReports } from '../policies/simulation-reports.js';
import { parseBody } from './body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { Problem } from './problem.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

interface Draft {
  bundle: PolicyBundle;
  simulation: ReportProof | undefined;
}

const none = (version: string): Problem => new Problem('not-found', `there is no policy ${version}`);
const nextNumber = ({ versions }: BundleShelf): string => {
  let number = versions.size + 1;
  while (versions.has(String(number))) number++;
  return String(number);
};

/** `/v1/policies`: a tenant's bundles of rules. A version never changes; which one rules is one event, and so is going back. */
@Controller('v1')
export class PoliciesController {
  constructor(
    private readonly face: Face,
    private readonly room: PolicyRoom,
    private readonly reports: SimulationReports,
  ) {}

  @Get('policies')
  list(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const page = listed(request);
      const shelf = this.room.shelf(tenant_id);
      if (page instanceof Problem) return page;
      return ok(
        pageOf(
          [...shelf.versions.values()],
          page,
          ({ version }) => version,
          (bundle) => bundleFace(shelf, bundle),
        ),
      );
    });
  }

  @Get('policies/active')
  active(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => ok(activeFace(this.room.shelf(tenant_id))));
  }

  @Get('policies/settings')
  settings(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) =>
      ok({ simulation_required: this.room.shelf(tenant_id).simulation_required }),
    );
  }

  @Put('policies/settings')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async ({ tenant_id, principal }) => {
      const body = parseBody(policySettings, request.body);
      if (body instanceof Problem) return body;
      const { configuration } = this.room;
      await configuration.writer.set(tenant_id, 'policy_settings_set', {
        ...body,
        by: principal,
        changed_at_ms: configuration.clock.now_ms(),
      });
      return ok(body);
    });
  }

  @Get('policies/:version')
  read(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const { version } = request.params as { version: string };
      const shelf = this.room.shelf(tenant_id);
      const bundle = shelf.versions.get(version);
      if (!bundle) return none(version);
      return ok({ ...bundleFace(shelf, bundle), bundle: JSON.parse(bundle.bundle_json) }, { etag: `"${bundle.digest}"` });
    });
  }

  @Post('policies')
  publish(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async (caller) => {
      const body = parseBundle(publishRequest, request.body);
      if (body instanceof Problem) return body;
      const { version, simulation, ...bundle } = body;
      return this.put(caller, version ?? nextNumber(this.room.shelf(caller.tenant_id)), { bundle: bundle as PolicyBundle, simulation });
    });
  }

  @Put('policies/active')
  activate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(activateRequest, request.body);
      if (body instanceof Problem) return body;
      const { shadow } = this.room.shelf(caller.tenant_id);
      return this.switch(caller, body.version, body.shadow === undefined ? shadow : body.shadow);
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('policies::rollback')
  rollback(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const { activations, active } = this.room.shelf(caller.tenant_id);
      const before = activations.findLast(({ version }) => version !== active);
      if (activations.length === 0) return new Problem('conflict', 'no policy was ever activated: there is nothing to go back to');
      return this.switch(caller, before?.version ?? null, null);
    });
  }

  private async put(caller: Caller, version: string, { bundle, simulation }: Draft): Promise<Answer | Problem> {
    const { tenant_id, principal } = caller;
    if (RESERVED_VERSIONS.has(version)) return new Problem('invalid-request', `a version cannot be called ${version}`);
    const text = await this.room.text(tenant_id, version, bundle);
    if (text instanceof Problem) return text;
    const shelf = this.room.shelf(tenant_id);
    const now_ms = this.room.configuration.clock.now_ms();
    const beside = { tenant_id, bundle_digest: text.digest, active: shelf.active, now_ms };
    const missing = shelf.simulation_required || simulation ? this.reports.fault(beside, simulation) : undefined;
    if (missing) return missing;
    if (!shelf.versions.has(version)) {
      const { writer, clock } = this.room.configuration;
      const { bundle_json, digest } = text;
      const published = {
        version,
        bundle_json,
        digest,
        simulation_digest: simulation?.digest ?? null,
        by: principal,
        published_at_ms: clock.now_ms(),
        semantics: BUNDLE_SEMANTICS,
      };
      await writer.set(tenant_id, 'policy_bundle_published', published);
    }
    const kept = this.room.shelf(tenant_id).versions.get(version);
    if (!kept || kept.digest !== sha256Hex(text.bundle_json))
      return new Problem('conflict', `policy ${version} was published with other rules, and a version never changes`);
    return {
      status: 201,
      body: { ...bundleFace(this.room.shelf(tenant_id), kept), ...this.noted(tenant_id, bundle) },
      headers: { location: `/v1/policies/${version}`, etag: `"${kept.digest}"` },
    };
  }

  /** What its author should look at: people whom nobody could check, and questions that allows take away. */
  private noted(tenant_id: string, bundle: PolicyBundle): Record<string, unknown> {
    const { warnings } = this.room.findings(tenant_id, bundle);
    const overrides = bundle.rules.flatMap(({ id, overrides: lowered }) => (lowered ? [{ rule: id, overrides: lowered }] : []));
    return { warnings: findingFaces(warnings, bundle), overrides };
  }

  private async switch({ tenant_id, principal }: Caller, version: string | null, shadow_version: string | null): Promise<Answer | Problem> {
    const { versions } = this.room.shelf(tenant_id);
    for (const named of [version, shadow_version]) if (named !== null && !versions.has(named)) return none(named);
    const { writer, clock } = this.room.configuration;
    const activated = { version, shadow_version, by: principal, activated_at_ms: clock.now_ms() };
    const { offset } = await writer.set(tenant_id, 'policy_bundle_activated', activated);
    return ok({ ...activeFace(this.room.shelf(tenant_id)), config_offset: offset, instances: await this.room.holders(offset) });
  }
}

function activeFace({ active, shadow, activations, versions }: BundleShelf): Record<string, unknown> {
  const history = activations.map(({ version, shadow_version, by, activated_at_ms }) => ({
    version,
    shadow: shadow_version,
    by,
    at: new Date(activated_at_ms).toISOString(),
  }));
  const digest = active === null ? null : (versions.get(active)?.digest ?? null);
  return { version: active, digest, shadow, history: history.reverse() };
}
