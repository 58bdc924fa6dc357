import { type Caller, Refusal } from '@countersign/calls';
import { type BundleShelf, itemNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { WithHeaders } from '../answers/with-headers.js';
import { ConfigurationService, type EditRequest } from '../configuration/configuration.service.js';
import { always } from '../configuration/configuration-edits.js';
import type { Everywhere } from '../configuration/running-instances.js';
import { otherPolicyAdmins } from '../mappings/mapping-activation.js';
import type { ActivateRequest, PolicySettings } from './bundle-request.js';
import type { ActivePolicy, PolicySettingsAnswer } from './policies.schemas.js';
import { PolicyService } from './policy.service.js';
import { noSuchPolicy } from './published-policies.service.js';

interface NextPolicy {
  version: string | null;
  shadow: string | null;
}

const notSingle = (others: readonly string[]): Refusal =>
  new Refusal('conflict', `the tenant has other policy admins: ${others.slice(0, 5).join(', ')}`, {
    reason: 'other_policy_admins_exist',
    issues: [{ path: '/single_policy_admin', code: 'conflict', message: 'must be false: another policy admin can activate a mapping' }],
  });

function answerOf({ active, shadow, activations, versions }: BundleShelf): ActivePolicy {
  const history = activations.map(({ version, shadow_version, by, activated_at_ms }) => ({
    version,
    shadow: shadow_version,
    by,
    activated_at: new Date(activated_at_ms).toISOString(),
  }));
  const digest = active === null ? null : (versions.get(active)?.digest ?? null);
  return { version: active, digest, shadow, history: history.reverse() };
}

/** Activates a version of a tenant's rules, or rolls back. Each activation or rollback is one event. */
@Injectable()
export class ActivePolicyService {
  constructor(
    private readonly configuration: ConfigurationService,
    private readonly policies: PolicyService,
  ) {}

  read(tenant_id: string): WithHeaders<ActivePolicy> {
    return { body: answerOf(this.policies.shelf(tenant_id)), headers: { etag: this.etag(tenant_id, itemNames.active_bundle) } };
  }

  activate(caller: Caller, { version, shadow }: ActivateRequest, request: EditRequest) {
    return this.switch(caller, request, (shelf) => ({ version, shadow: shadow === undefined ? shelf.shadow : shadow }));
  }

  rollBack(caller: Caller, request: EditRequest) {
    return this.switch(caller, request, ({ activations, active }) => {
      if (activations.length === 0)
        return new Refusal('conflict', 'no policy was ever activated: there is no earlier policy to roll back to', {
          reason: 'policy_never_activated',
        });
      return { version: activations.findLast(({ version }) => version !== active)?.version ?? null, shadow: null };
    });
  }

  settings(tenant_id: string): WithHeaders<PolicySettingsAnswer> {
    const { simulation_required, single_policy_admin } = this.policies.shelf(tenant_id);
    const headers = { etag: this.etag(tenant_id, itemNames.policy_settings) };
    return { body: { simulation_required, single_policy_admin }, headers };
  }

  async changeSettings(
    { tenant_id, principal }: Caller,
    body: PolicySettings,
    request: EditRequest,
  ): Promise<WithHeaders<PolicySettingsAnswer> | Refusal> {
    const draft = () => {
      const changed_at_ms = this.configuration.now_ms();
      const { simulation_required, single_policy_admin = this.policies.shelf(tenant_id).single_policy_admin } = body;
      const single = body.single_policy_admin ?? false;
      const others = single ? otherPolicyAdmins(this.configuration.state, tenant_id, principal, changed_at_ms) : [];
      return others.length > 0 ? notSingle(others) : { simulation_required, single_policy_admin, by: principal, changed_at_ms };
    };
    const item = itemNames.policy_settings;
    const edit = { tenant_id, type: 'policy_settings_set' as const, item, exists: always, draft };
    const edited = await this.configuration.edits.edit(request, edit);
    if (edited instanceof Refusal) return edited;
    const { simulation_required, single_policy_admin } = edited.fields;
    return { body: { simulation_required, single_policy_admin }, headers: { etag: edited.etag } };
  }

  private etag(tenant_id: string, item: string): string {
    return this.configuration.etag(tenant_id, item);
  }

  private async switch(
    { tenant_id, principal }: Caller,
    request: EditRequest,
    next: (shelf: BundleShelf) => NextPolicy | Refusal,
  ): Promise<WithHeaders<ActivePolicy & Everywhere> | Refusal> {
    const draft = () => {
      const shelf = this.policies.shelf(tenant_id);
      const found = next(shelf);
      if (found instanceof Refusal) return found;
      const { version, shadow } = found;
      for (const named of [version, shadow]) if (named !== null && !shelf.versions.has(named)) return noSuchPolicy(named);
      return { version, shadow_version: shadow, by: principal, activated_at_ms: this.configuration.now_ms() };
    };
    const edit = { tenant_id, type: 'policy_bundle_activated' as const, item: itemNames.active_bundle, exists: always, draft };
    const edited = await this.configuration.editEverywhere(request, edit);
    if (edited instanceof Refusal) return edited;
    return { body: { ...answerOf(this.policies.shelf(tenant_id)), ...edited.everywhere }, headers: { etag: edited.etag } };
  }
}
