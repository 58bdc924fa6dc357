import type { FolderLayout } from './layout.js';

/** Why a tenant has no folder. */
export type Refusal =
  | 'belongs_to_another_tenant'
  /** There are files and several tenants: nobody can tell whose they are. */
  | 'not_assigned'
  | 'layout_damaged'
  | 'being_moved'
  | 'was_shared'
  | 'not_shared';

/** Where a tenant's files are: in the root itself, in its own folder, or nowhere yet. */
export type Placement = { kind: 'root' } | { kind: 'own_folder' } | { kind: 'refused'; reason: Refusal };

/**
 * Where the files of a tenant are. It fails closed: a tenant is never given a root that may hold files of another one,
 * unless the operator's setting and the recorded layout both say that the root is shared.
 * @param layout undefined: none could be recorded, as there are files and nobody can tell whose.
 */
export function placementOf(layout: FolderLayout | undefined, tenant_id: string, is_shared: boolean): Placement {
  switch (layout?.layout) {
    case undefined:
      return { kind: 'refused', reason: 'not_assigned' };
    case 'moving':
      return { kind: 'refused', reason: 'being_moved' };
    case 'shared':
      return is_shared ? { kind: 'root' } : { kind: 'refused', reason: 'was_shared' };
    case 'by_tenant':
      return is_shared ? { kind: 'refused', reason: 'not_shared' } : { kind: 'own_folder' };
    case 'one_tenant':
      if (is_shared) return { kind: 'refused', reason: 'not_shared' };
      return layout.tenant_id === tenant_id ? { kind: 'root' } : { kind: 'refused', reason: 'belongs_to_another_tenant' };
  }
}

/**
 * The layout of a folder that has none recorded. Files that are there already stay where they are for the one tenant
 * that the installation has; with several tenants nobody can tell whose they are.
 */
export function firstLayout(has_files: boolean, tenants: ReadonlySet<string>, is_shared: boolean): FolderLayout | undefined {
  if (is_shared) return { layout: 'shared' };
  if (!has_files) return { layout: 'by_tenant' };
  const [only, ...others] = tenants;
  return only !== undefined && others.length === 0 ? { layout: 'one_tenant', tenant_id: only } : undefined;
}
