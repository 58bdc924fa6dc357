import { type Issue, Refusal } from '@countersign/calls';
import type { PolicyBundle } from '@countersign/policy';
import { Injectable } from '@nestjs/common';
import { draftBundle, parseBundle } from './bundle-request.js';
import type { CheckRequest, PolicyCheck, PolicyError } from './draft-checks.schemas.js';
import { PolicyService } from './policy.service.js';
import { PublishedPoliciesService } from './published-policies.service.js';

/** Checks drafts as publishing does. Changes nothing. */
@Injectable()
export class DraftChecksService {
  constructor(
    private readonly policies: PolicyService,
    private readonly published: PublishedPoliciesService,
  ) {}

  async check(tenant_id: string, { bundle: draft }: CheckRequest): Promise<PolicyCheck> {
    const bundle = parseBundle(draftBundle, draft) as PolicyBundle | Refusal;
    if (bundle instanceof Refusal) return faulty(bundle);
    const text = await this.policies.text(tenant_id, 'draft', bundle);
    if (text instanceof Refusal) return faulty(text);
    const { versions } = this.policies.shelf(tenant_id);
    const same = [...versions.values()].find(({ digest }) => digest === text.digest);
    return {
      ok: true,
      errors: [],
      ...this.published.noted(tenant_id, bundle),
      bundle: JSON.parse(text.bundle_json) as Record<string, unknown>,
      bundle_digest: text.digest,
      published_as: same?.version ?? null,
    };
  }
}

function faulty({ more: { issues = [] } }: Refusal): PolicyCheck {
  return { ok: false, errors: issues.map(errorOf), warnings: [], overrides: [], bundle: null, bundle_digest: null, published_as: null };
}

function errorOf(issue: Issue & Partial<PolicyError>): PolicyError {
  const { path, code, message, rule = null, reason = message, position = null } = issue;
  return { path, code, rule, reason, position };
}
