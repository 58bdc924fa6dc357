import { type Caller, Refusal } from '@countersign/calls';
import { canonicalText, sha256Hex } from '@countersign/contracts';
import { type BundleShelf, itemNames, type PublishedBundle } from '@countersign/domain';
import type { BundleText, PolicyBundle } from '@countersign/policy';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import type { ChangeFields } from '../configuration/configuration-writer.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, placeOf } from '../lists/page-query.js';
import { type PublishRequest, RESERVED_VERSIONS } from './bundle-request.js';
import type { PolicySummary, PublishedPolicy } from './policies.schemas.js';
import { BUNDLE_SEMANTICS, findingIssues, PolicyService } from './policy.service.js';
import { type ReportProof, SimulationReports } from './simulation-reports.js';

interface Draft {
  /** Undefined: use the next free number. */
  version: string | undefined;
  bundle: PolicyBundle;
  simulation: ReportProof | undefined;
}

type Published = WithHeaders<PublishedPolicy>;

export const noSuchPolicy = (version: string): Refusal =>
  new Refusal('not-found', `the policy ${version} does not exist`, { reason: 'policy_not_found' });
const taken = (version: string): Refusal =>
  new Refusal('conflict', `the policy ${version} was published with other rules: versions are immutable`, {
    reason: 'policy_version_taken',
  });

const nextNumber = ({ versions }: BundleShelf): string => {
  let number = versions.size + 1;
  while (versions.has(String(number))) number++;
  return String(number);
};

function summaryOf({ active, shadow }: BundleShelf, bundle: PublishedBundle): PolicySummary {
  const { version, digest, by, simulation_digest, published_at_ms } = bundle;
  return {
    version,
    digest,
    active: active === version,
    shadow: shadow === version,
    published_by: by,
    published_at: new Date(published_at_ms).toISOString(),
    simulation_digest,
  };
}

/** The versions of a tenant's rules. Versions are immutable. */
@Injectable()
export class PublishedPoliciesService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly policies: PolicyService,
    private readonly reports: SimulationReports,
  ) {}

  list(tenant_id: string, query: PageQuery): Page<PolicySummary> {
    const shelf = this.policies.shelf(tenant_id);
    return pageOf(
      [...shelf.versions.values()],
      placeOf(query),
      ({ version }) => version,
      (bundle) => summaryOf(shelf, bundle),
    );
  }

  read(tenant_id: string, version: string): WithHeaders<PolicySummary & { bundle: Record<string, unknown> }> | Refusal {
    const shelf = this.policies.shelf(tenant_id);
    const published = shelf.versions.get(version);
    if (!published) return noSuchPolicy(version);
    const bundle = JSON.parse(published.bundle_json) as Record<string, unknown>;
    return { body: { ...summaryOf(shelf, published), bundle }, headers: { etag: `"${published.digest}"` } };
  }

  /** Returns an existing version if it was published with the same rules; then nothing is written. */
  async publish(caller: Caller, body: PublishRequest, request: EditRequest): Promise<Published | Refusal> {
    const { version: named, simulation, ...rules } = body;
    const draft: Draft = { version: named, bundle: rules as PolicyBundle, simulation };
    const { tenant_id } = caller;
    for (;;) {
      const version = named ?? nextNumber(this.policies.shelf(tenant_id));
      const known = this.published(tenant_id, version, draft);
      if (known) return known;
      const edited = await this.write(caller, version, draft, request);
      if (!edited) return this.published(tenant_id, version, draft) ?? taken(version);
      // Another gateway took the number: use the next one. If the caller named the version and its rules are equal, return it.
      if (edited.kind !== 'conflict' || !this.policies.shelf(tenant_id).versions.has(version)) return edited;
      if (named !== undefined) return this.published(tenant_id, version, draft) ?? edited;
    }
  }

  private async write(
    { tenant_id, principal: by }: Caller,
    version: string,
    draft: Draft,
    request: EditRequest,
  ): Promise<Refusal | undefined> {
    const made = async (): Promise<ChangeFields<'policy_bundle_published'> | Refusal> => {
      const text = await this.checked(tenant_id, version, draft);
      if (text instanceof Refusal) return text;
      if (this.policies.shelf(tenant_id).versions.has(version)) return taken(version);
      const { bundle_json, digest } = text;
      const simulation_digest = draft.simulation?.digest ?? null;
      const published_at_ms = this.configuration.now_ms();
      return { version, bundle_json, digest, simulation_digest, by, published_at_ms, semantics: BUNDLE_SEMANTICS };
    };
    const against = () => [itemNames.fact_tables, itemNames.active_bundle, itemNames.policy_settings];
    const edit = { tenant_id, type: 'policy_bundle_published' as const, item: itemNames.bundle(version), against, draft: made };
    const edited = await this.configuration.edits.edit(request, edit);
    return edited instanceof Refusal ? edited : undefined;
  }

  private published(tenant_id: string, version: string, { bundle }: Draft): Published | Refusal | undefined {
    const shelf = this.policies.shelf(tenant_id);
    const kept = shelf.versions.get(version);
    if (!kept) return undefined;
    if (kept.digest !== sha256Hex(canonicalText(bundle))) return taken(version);
    const body = { ...summaryOf(shelf, kept), ...this.noted(tenant_id, bundle) };
    return { body, headers: { location: `/v1/policies/${version}`, etag: `"${kept.digest}"` } };
  }

  /** The text of a bundle if it may be published now. */
  private async checked(tenant_id: string, version: string, { bundle, simulation }: Draft): Promise<BundleText | Refusal> {
    if (RESERVED_VERSIONS.has(version)) return new Refusal('invalid-request', `${version} is a reserved word and cannot be a version`);
    const text = await this.policies.text(tenant_id, version, bundle);
    if (text instanceof Refusal) return text;
    const shelf = this.policies.shelf(tenant_id);
    const beside = { tenant_id, bundle_digest: text.digest, active: shelf.active, now_ms: this.configuration.now_ms() };
    const missing = shelf.simulation_required || simulation ? this.reports.fault(beside, simulation) : undefined;
    return missing ?? text;
  }

  /** Findings for the author: approvers who could not be verified, and approvals that an allow rule overrides. */
  noted(tenant_id: string, bundle: PolicyBundle): Pick<PublishedPolicy, 'warnings' | 'overrides'> {
    const { warnings } = this.policies.findings(tenant_id, bundle);
    const overrides = bundle.rules.flatMap(({ id, overrides: lowered }) => (lowered ? [{ rule: id, overrides: [...lowered] }] : []));
    return { warnings: findingIssues(warnings, bundle), overrides };
  }
}
