import { resourceId, resourcesOf, type ToolContract } from '@countersign/contracts';
import type { TenantKeys } from '@countersign/process';
import type { ResourceTouch } from '@countersign/store';

const NOTHING: readonly ResourceTouch[] = [];

/** What a write touches: each name that it acts on and each prefix of it, as HMACs under the key of the tenant. */
export class ResourceNames {
  constructor(private readonly keys: Pick<TenantKeys, 'tenantKey'>) {}

  /** Sorted by resource; empty where the contract names nothing. */
  touchesOf(contract: Pick<ToolContract, 'resources'>, tenant_id: string, inputs: unknown): readonly ResourceTouch[] {
    if (contract.resources === undefined) return NOTHING;
    const key = this.keys.tenantKey(tenant_id);
    const touches = new Map<string, ResourceTouch>();
    for (const { segments, effect } of resourcesOf(contract, inputs)) {
      for (let length = 1; length <= segments.length; length++) {
        const resource = resourceId(key, tenant_id, segments.slice(0, length));
        const known = touches.get(resource);
        const exact = length === segments.length || known?.exact === true;
        touches.set(resource, { resource, exact, replaces: effect === 'replaces' || known?.replaces === true });
      }
    }
    return [...touches.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }
}
