import { resourceId, resourcesOf, type ToolContract } from '@countersign/contracts';
import type { TenantKeys } from '@countersign/process';
import type { ResourceTouch } from '@countersign/store';
import { LRUCache } from 'lru-cache';
import type { LoadedTool } from '../tool-runs/loaded-tool.js';

type Tool = Pick<LoadedTool, 'folders'> & { contract: Pick<ToolContract, 'resources'> };

const NOTHING: readonly ResourceTouch[] = [];

const ABOVE_MAX = 10_000;

/** The namespace of shared resources. No tenant has an empty id. */
const SHARED = '';

/**
 * The resources of a write: each name that it acts on and each prefix of it, as HMACs under the key of the tenant, or of the shared
 * namespace if its pack acts in a shared folder.
 */
export class ResourceNames {
  /** Parent names: calls on one collection share them. */
  private readonly above = new LRUCache<string, string>({ max: ABOVE_MAX });

  constructor(private readonly keys: Pick<TenantKeys, 'tenantKey'>) {}

  /** Sorted by resource; empty if the contract names none. */
  touchesOf({ contract, folders }: Tool, tenant_id: string, inputs: unknown): readonly ResourceTouch[] {
    if (contract.resources === undefined) return NOTHING;
    const namespace = [...folders.values()].some(({ setting }) => setting.sharing?.on) ? SHARED : tenant_id;
    const key = this.keys.tenantKey(namespace);
    const touches = new Map<string, ResourceTouch>();
    for (const { segments, effect } of resourcesOf(contract, inputs)) {
      for (let length = 1; length <= segments.length; length++) {
        const resource =
          length === segments.length ? resourceId(key, namespace, segments) : this.aboveOf(key, namespace, segments.slice(0, length));
        const known = touches.get(resource);
        const exact = length === segments.length || known?.exact === true;
        touches.set(resource, { resource, exact, replaces: effect === 'replaces' || known?.replaces === true });
      }
    }
    return [...touches.values()].sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  private aboveOf(key: Uint8Array, namespace: string, segments: readonly string[]): string {
    const name = [namespace, ...segments].map((part) => `${part.length}:${part}`).join('');
    const known = this.above.get(name);
    if (known !== undefined) return known;
    const resource = resourceId(key, namespace, segments);
    this.above.set(name, resource);
    return resource;
  }
}
