import { type Caller, Refusal } from '@countersign/calls';
import { canonicalText, sha256Hex } from '@countersign/contracts';
import { type BundleShelf, itemNames } from '@countersign/domain';
import type { BundleText, PolicyBundle } from '@countersign/policy';
import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import { always } from '../configuration/configuration-edits.js';
import { activateRequest, parseBundle, policySettings, publishRequest, RESERVED_VERSIONS } from '../policies/bundle-request.js';
import { BUNDLE_SEMANTICS, bundleFace, findingFaces, PolicyRoom } from '../policies/policy-room.js';
import { type ReportProof, SimulationReports } from '../policies/simulation-reports.js';
import { parseBody } from '../requests/body-issues.js';
import { Face } from './face.js';
import { listed, pageOf } from './lists.js';
import { otherPolicyAdmins } from './mapping-activation.js';
import { type Answer, type HttpReply, type HttpRequest, ok } from './reply.js';

interface Draft {
  /** Undefined: the next free number. */
  version: string | undefined;
  bundle: PolicyBundle;
  simulation: ReportProof | undefined;
}

const none = (version: string): Refusal => new Refusal('not-found', `there is no policy ${version}`);
const notSingle = (others: readonly string[]): Refusal =>
  new Refusal('conflict', `the tenant has other policy admins: ${others.slice(0, 5).join(', ')}`, {
    issues: [{ path: '/single_policy_admin', code: 'conflict', message: 'is true only where nobody else could activate a mapping' }],
  });
const taken = (version: string): Refusal =>
  new Refusal('conflict', `policy ${version} was published with other rules, and a version never changes`);
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
      if (page instanceof Refusal) return page;
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
    return this.face.serve(request, reply, [], ({ tenant_id }) =>
      ok(activeFace(this.room.shelf(tenant_id)), { etag: this.etag(tenant_id, itemNames.active_bundle) }),
    );
  }

  @Get('policies/settings')
  settings(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, [], ({ tenant_id }) => {
      const { simulation_required, single_policy_admin } = this.room.shelf(tenant_id);
      return ok({ simulation_required, single_policy_admin }, { etag: this.etag(tenant_id, itemNames.policy_settings) });
    });
  }

  @Put('policies/settings')
  change(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], async ({ tenant_id, principal }) => {
      const body = parseBody(policySettings, request.body);
      if (body instanceof Refusal) return body;
      const { edits, clock, state } = this.room.configuration;
      const draft = () => {
        const changed_at_ms = clock.now_ms();
        const { simulation_required, single_policy_admin = this.room.shelf(tenant_id).single_policy_admin } = body;
        const others = body.single_policy_admin ? otherPolicyAdmins(state, tenant_id, principal, changed_at_ms) : [];
        return others.length > 0 ? notSingle(others) : { simulation_required, single_policy_admin, by: principal, changed_at_ms };
      };
      const item = itemNames.policy_settings;
      const edited = await edits.edit(request, { tenant_id, type: 'policy_settings_set', item, exists: always, draft });
      if (edited instanceof Refusal) return edited;
      const { simulation_required, single_policy_admin } = edited.fields;
      return ok({ simulation_required, single_policy_admin }, { etag: edited.etag });
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
      if (body instanceof Refusal) return body;
      const { version, simulation, ...bundle } = body;
      return this.put(request, caller, { version, bundle: bundle as PolicyBundle, simulation });
    });
  }

  @Put('policies/active')
  activate(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      const body = parseBody(activateRequest, request.body);
      if (body instanceof Refusal) return body;
      return this.switch(request, caller, ({ shadow }) => ({
        version: body.version,
        shadow: body.shadow === undefined ? shadow : body.shadow,
      }));
    });
  }

  // A double colon is a literal one in Fastify's routes.
  @Post('policies::rollback')
  rollback(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    return this.face.serve(request, reply, ['policy_admin'], (caller) => {
      return this.switch(request, caller, ({ activations, active }) => {
        if (activations.length === 0) return new Refusal('conflict', 'no policy was ever activated: there is nothing to go back to');
        return { version: activations.findLast(({ version }) => version !== active)?.version ?? null, shadow: null };
      });
    });
  }

  private etag(tenant_id: string, item: string): string {
    return this.room.configuration.edits.etag(tenant_id, item);
  }

  /** A version that was published with the same rules before is answered again, and nothing is written. */
  private async put(request: HttpRequest, { tenant_id, principal }: Caller, draft: Draft): Promise<Answer | Refusal> {
    const { clock } = this.room.configuration;
    for (;;) {
      const version = draft.version ?? nextNumber(this.room.shelf(tenant_id));
      const item = itemNames.bundle(version);
      const known = this.published(tenant_id, version, draft);
      if (known) return known;
      const made = async () => {
        const text = await this.checked(tenant_id, version, draft);
        if (text instanceof Refusal) return text;
        if (this.room.shelf(tenant_id).versions.has(version)) return taken(version);
        const { bundle_json, digest } = text;
        const simulation_digest = draft.simulation?.digest ?? null;
        return {
          version,
          bundle_json,
          digest,
          simulation_digest,
          by: principal,
          published_at_ms: clock.now_ms(),
          semantics: BUNDLE_SEMANTICS,
        };
      };
      const against = () => [itemNames.fact_tables, itemNames.active_bundle, itemNames.policy_settings];
      const edit = { tenant_id, type: 'policy_bundle_published' as const, item, against, draft: made };
      const edited = await this.room.configuration.edits.edit(request, edit);
      if (!(edited instanceof Refusal)) return this.published(tenant_id, version, draft) ?? taken(version);
      // Another gateway took the number: the next one is as good. The same rules under a name of the caller's are answered.
      if (edited.kind !== 'conflict' || !this.room.shelf(tenant_id).versions.has(version)) return edited;
      if (draft.version !== undefined) return this.published(tenant_id, version, draft) ?? edited;
    }
  }

  private published(tenant_id: string, version: string, { bundle }: Draft): Answer | Refusal | undefined {
    const shelf = this.room.shelf(tenant_id);
    const kept = shelf.versions.get(version);
    if (!kept) return undefined;
    if (kept.digest !== sha256Hex(canonicalText(bundle))) return taken(version);
    const body = { ...bundleFace(shelf, kept), ...this.noted(tenant_id, bundle) };
    return { status: 201, body, headers: { location: `/v1/policies/${version}`, etag: `"${kept.digest}"` } };
  }

  /** The text of a bundle that may be published now. */
  private async checked(tenant_id: string, version: string, { bundle, simulation }: Draft): Promise<BundleText | Refusal> {
    if (RESERVED_VERSIONS.has(version)) return new Refusal('invalid-request', `a version cannot be called ${version}`);
    const text = await this.room.text(tenant_id, version, bundle);
    if (text instanceof Refusal) return text;
    const shelf = this.room.shelf(tenant_id);
    const beside = { tenant_id, bundle_digest: text.digest, active: shelf.active, now_ms: this.room.configuration.clock.now_ms() };
    const missing = shelf.simulation_required || simulation ? this.reports.fault(beside, simulation) : undefined;
    return missing ?? text;
  }

  /** What its author should look at: people whom nobody could check, and questions that allows take away. */
  private noted(tenant_id: string, bundle: PolicyBundle): Record<string, unknown> {
    const { warnings } = this.room.findings(tenant_id, bundle);
    const overrides = bundle.rules.flatMap(({ id, overrides: lowered }) => (lowered ? [{ rule: id, overrides: lowered }] : []));
    return { warnings: findingFaces(warnings, bundle), overrides };
  }
  private async switch(
    request: HttpRequest,
    { tenant_id, principal }: Caller,
    next: (shelf: BundleShelf) => { version: string | null; shadow: string | null } | Refusal,
  ): Promise<Answer | Refusal> {
    const draft = () => {
      const shelf = this.room.shelf(tenant_id);
      const found = next(shelf);
      if (found instanceof Refusal) return found;
      const { version, shadow } = found;
      for (const named of [version, shadow]) if (named !== null && !shelf.versions.has(named)) return none(named);
      return { version, shadow_version: shadow, by: principal, activated_at_ms: this.room.configuration.clock.now_ms() };
    };
    const item = itemNames.active_bundle;
    const edited = await this.room.editEverywhere(request, { tenant_id, type: 'policy_bundle_activated', item, exists: always, draft });
    if (edited instanceof Refusal) return edited;
    return ok({ ...activeFace(this.room.shelf(tenant_id)), ...edited.everywhere }, { etag: edited.etag });
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
