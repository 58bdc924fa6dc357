import { Refusal } from '@countersign/calls';
import { canonicalText, type EventType, sha256Hex } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { type BundleShelf, emptyShelf, factsOf, toolVersions } from '@countersign/domain';
import { BundleCompiler, type BundleText, type PolicyBundle, type RuleFault } from '@countersign/policy';
import { type CallHistoryReader, inTurns } from '@countersign/process';
import type { Store } from '@countersign/store';
import type { ConfigurationService, EditedEverywhere, EditRequest } from '../configuration/configuration.service.js';
import type { Edit } from '../configuration/configuration-edits.js';
import type { ChangeFields, ConfigurationEvent } from '../configuration/configuration-writer.js';
import type { Everywhere } from '../configuration/running-instances.js';
import type { PatientRequest } from '../requests/preferences.js';
import { type BundleFindings, bundleFindings, type KnownTenant, type RuleFinding } from './bundle-checks.js';
import { knownTenant } from './known-tenant.js';
import { conditionFaults } from './path-checks.js';

const ISSUES_MAX = 50;
/** Semantics version of the rules that are published now (see policy_bundle_published). */
export const BUNDLE_SEMANTICS = 2;
/** The rule bundles of a tenant, and the facts about a tenant for checking rules. */
export class PolicyService {
  private readonly empty = emptyShelf();

  constructor(
    readonly configuration: ConfigurationService,
    readonly rulings: TenantRulings,
    readonly store: Store,
    readonly history: CallHistoryReader,
  ) {}

  shelf(tenant_id: string): BundleShelf {
    return this.configuration.state.by_tenant.get(tenant_id)?.bundles ?? this.empty;
  }

  /** The text of a bundle for publication; a problem with the faults of its rules if it cannot be published. */
  async text(tenant_id: string, version: string, bundle: PolicyBundle): Promise<BundleText | Refusal> {
    const bundle_json = canonicalText(bundle);
    const text = { version, bundle_json, digest: sha256Hex(bundle_json) };
    const { state } = this.configuration;
    const compiler = new BundleCompiler(bundle, text, {
      inputsOf: (tool) => {
        const versions = toolVersions(state, tenant_id, tool);
        return versions.length === 0 ? undefined : versions.map(({ tool: { contract } }) => contract.input_schema);
      },
      fact_tables: [...factsOf(state, tenant_id).keys()],
    });
    const compiled = await inTurns(compiledIn(compiler));
    if ('faults' in compiled) return unusable(compiled.faults, bundle);
    const known = this.known(tenant_id);
    const faults = [...bundleFindings(bundle, known).faults, ...conditionFaults(compiled.bundle.rules, known)];
    return faults.length > 0 ? meaningless(faults, bundle) : text;
  }

  /** Errors of a bundle, and warnings about parts that cannot be verified. */
  findings(tenant_id: string, bundle: PolicyBundle): BundleFindings {
    return bundleFindings(bundle, this.known(tenant_id));
  }

  known(tenant_id: string): KnownTenant {
    return knownTenant(this.configuration.state, tenant_id, this.configuration.clock.now_ms());
  }

  /** See ConfigurationService. */
  editEverywhere<T extends ConfigurationEvent & EventType>(request: EditRequest, edit: Edit<T>): Promise<EditedEverywhere<T> | Refusal> {
    return this.configuration.editEverywhere(request, edit);
  }

  /** See ConfigurationService. */
  setEverywhere<T extends ConfigurationEvent & EventType>(
    request: PatientRequest,
    tenant_id: string,
    type: T,
    fields: ChangeFields<T>,
  ): Promise<Everywhere> {
    return this.configuration.setEverywhere(request, tenant_id, type, fields);
  }
}

function* compiledIn(compiler: BundleCompiler): Generator<void, ReturnType<BundleCompiler['finish']>> {
  while (compiler.step()) yield;
  return compiler.finish();
}

function unusable(faults: readonly RuleFault[], { rules }: PolicyBundle): Refusal {
  const [first] = faults;
  const issues = faults.slice(0, ISSUES_MAX).map(({ rule, field, position, reason }) => ({
    path: `/rules/${rules.findIndex(({ id }) => id === rule)}/${field.replace('.', '/')}`,
    code: 'rule',
    message: `${rule}: line ${position.line}, column ${position.column}: ${reason}`,
    rule,
    position,
    reason,
  }));
  const detail = `rule ${first?.rule}, ${first?.field}, line ${first?.position.line}, column ${first?.position.column}: ${first?.reason}`;
  return new Refusal('unusable-policy', detail, { issues });
}

/** Findings as issues of a problem or response, each with its path in the bundle. */
export function findingIssues(findings: readonly RuleFinding[], { rules }: PolicyBundle) {
  return findings.slice(0, ISSUES_MAX).map(({ rule, field, reason }) => {
    const path = `/rules/${rules.findIndex(({ id }) => id === rule)}${field}`;
    return { path, code: 'rule', message: `${rule}: ${reason}`, rule, reason };
  });
}

function meaningless(faults: readonly RuleFinding[], bundle: PolicyBundle): Refusal {
  const [first] = faults;
  return new Refusal('unusable-policy', `rule ${first?.rule}, ${first?.field}: ${first?.reason}`, {
    issues: findingIssues(faults, bundle),
  });
}
