import type { FolderLayout } from './layout.js';

/** Why a tenant has no folder. */
export type Refusal =
  | 'belongs_to_another_tenant'
  /** There are files and several tenants: the owner of the files is unknown. */
  | 'not_assigned'
  | 'layout_damaged'
  | 'being_moved'
  /** The call acted on the root, whose files now belong to another tenant: only a person can determine its outcome. */
  | 'began_before_move'
  | 'was_shared'
  | 'not_shared';

/** The tenant and call that need a folder. */
export interface Asker {
  tenant_id: string;
  /** When its effect began; 0: not yet. */
  began_at_ms: number;
}

/** The place of a tenant's files: the root itself, its own folder, or none yet. */
export type Placement = { kind: 'root' } | { kind: 'own_folder' } | { kind: 'refused'; reason: Refusal };

/**
 * The place of a tenant's files. Fails closed: a tenant never gets a root that may hold files of another one, unless the operator's
 * setting and the recorded layout both say that the root is shared.
 * @param layout undefined: none could be recorded, because there are files without a known owner.
 */
export function placementOf(layout: FolderLayout | undefined, asker: Asker, is_shared: boolean): Placement {
  switch (layout?.layout) {
    case undefined:
      return { kind: 'refused', reason: 'not_assigned' };
    case 'moving':
      return { kind: 'refused', reason: 'being_moved' };
    case 'shared':
      return is_shared ? { kind: 'root' } : { kind: 'refused', reason: 'was_shared' };
    case 'by_tenant':
      if (is_shared) return { kind: 'refused', reason: 'not_shared' };
      return beganElsewhere(layout.moved, asker) ? { kind: 'refused', reason: 'began_before_move' } : { kind: 'own_folder' };
    case 'one_tenant':
      if (is_shared) return { kind: 'refused', reason: 'not_shared' };
      return layout.tenant_id === asker.tenant_id ? { kind: 'root' } : { kind: 'refused', reason: 'belongs_to_another_tenant' };
  }
}

function beganElsewhere(moved: { tenant_id: string; at_ms: number } | undefined, { tenant_id, began_at_ms }: Asker): boolean {
  return moved !== undefined && moved.tenant_id !== tenant_id && began_at_ms > 0 && began_at_ms < moved.at_ms;
}

/**
 * The layout of a folder without a recorded one. Existing files stay in place if the installation has only one tenant; with several
 * tenants their owner is unknown.
 */
export function firstLayout(has_files: boolean, tenants: ReadonlySet<string>, is_shared: boolean): FolderLayout | undefined {
  if (is_shared) return { layout: 'shared' };
  if (!has_files) return { layout: 'by_tenant' };
  const [only, ...others] = tenants;
  return only !== undefined && others.length === 0 ? { layout: 'one_tenant', tenant_id: only } : undefined;
}
