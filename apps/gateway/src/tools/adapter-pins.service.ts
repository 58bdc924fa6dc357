import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { itemNames } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import type { ConditionalRequest } from '../configuration/precondition.js';
import { pageOf } from '../lists/lists.js';
import { type Page, type PageQuery, storeQuery } from '../lists/page-query.js';
import { PolicyService } from '../policies/policy.service.js';
import type { PatientRequest } from '../requests/preferences.js';
import type { AdapterPinAnswer, AdapterPinRequest, ChangedAdapterPin } from './adapter-pins.schemas.js';

/** An adapter in an environment. */
export interface AdapterPlace {
  adapter: string;
  environment: string;
}

/** The version of an adapter, and of its protocol, that an environment runs tools on. Set by the installation's admins. */
@Injectable()
export class AdapterPinsService {
  constructor(private readonly policies: PolicyService) {}

  list(query: PageQuery): Page<AdapterPinAnswer & { etag: string }> {
    const { state, edits } = this.policies.configuration;
    return pageOf(
      [...state.adapter_pins.values()],
      storeQuery(query),
      (pin) => `${pin.environment}/${pin.adapter}`,
      ({ changed_at_ms, ...pin }) => ({
        ...pin,
        changed_at: new Date(changed_at_ms).toISOString(),
        etag: edits.etag(DEFAULT_TENANT, itemNames.adapter_pin(pin.environment, pin.adapter)),
      }),
    );
  }

  async set(
    { tenant_id, principal: by }: Caller,
    { adapter, environment }: AdapterPlace,
    body: AdapterPinRequest,
    request: ConditionalRequest & PatientRequest,
  ): Promise<{ pin: ChangedAdapterPin; etag: string } | Refusal> {
    if (tenant_id !== DEFAULT_TENANT)
      return new Refusal('forbidden', 'only admins of the installation can pin adapters', { reason: 'default_tenant_required' });
    const pin = { environment, adapter, ...body };
    const draft = () => ({ ...pin, by, changed_at_ms: this.policies.configuration.clock.now_ms() });
    const item = itemNames.adapter_pin(environment, adapter);
    const edited = await this.policies.editEverywhere(request, { tenant_id, type: 'adapter_pin_set', item, draft });
    if (edited instanceof Refusal) return edited;
    const changed_at = new Date(edited.fields.changed_at_ms).toISOString();
    return { pin: { ...pin, changed_at, ...edited.everywhere }, etag: edited.etag };
  }
}
