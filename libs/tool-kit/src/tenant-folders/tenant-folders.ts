import { join } from 'node:path';
import { isToolError, ToolError } from '../tool-error.js';
import { COMMON_FOLDER } from './folder-name.js';
import { createLayout, type FolderLayout, filesIn, LayoutDamaged, readLayout } from './layout.js';
import { codeOf, madeRoot, ownFolder } from './own-folder.js';
import { type Asker, firstLayout, placementOf, type Refusal } from './placement.js';

/** A folder setting with the operator's value. */
export interface FolderSetting {
  /** The environment variable of the setting. */
  variable: string;
  root: string;
  /** The variable with which the operator shares it among all tenants, and its value; absent: each tenant always has its own folder. */
  sharing?: { variable: string; on: boolean };
}

/** Advice about a refusal, for the refused tenant: it names no other tenant and no path. */
const ADVICE: Readonly<Record<Refusal, string>> = {
  belongs_to_another_tenant: 'holds the files of another tenant: an operator must run `npm run countersign -- move-workspace` first',
  not_assigned:
    'holds files that are assigned to no tenant: an operator must run `npm run countersign -- move-workspace --tenant <id>` first',
  layout_damaged: 'has a damaged layout record: an operator must restore .countersign-layout.json',
  began_before_move:
    'was shared when this call began, and its files now belong to another tenant: a person must check the outcome and resolve the call',
  being_moved:
    'is being moved by `npm run countersign -- move-workspace`, or that move was interrupted: an operator must run it to completion',
  was_shared: 'was shared by all tenants: an operator must share it again or run `npm run countersign -- move-workspace --tenant <id>`',
  not_shared:
    'is configured as shared by all tenants, but its layout is not: an operator must run `npm run countersign -- move-workspace --share`',
};

/** The tenants' folders in one folder setting: the only mapping from a tenant to a place on the disk. */
export class TenantFolders {
  /**
   * @param tenants ids of the installation's tenants, read while no layout is recorded
   * @param onRefused called for each refusal, for the operator; `tenant_id` null: every tenant is refused for now
   */
  constructor(
    readonly setting: FolderSetting,
    private readonly tenants: () => Iterable<string>,
    private readonly onRefused: (refused: { tenant_id: string | null; reason: Refusal; root: string }) => void = () => undefined,
  ) {}

  /**
   * Records the layout of the folder if it is unambiguous, so that later tenants change nothing. Notifies the operator if no tenant can
   * have its folder for now.
   * @returns the reason to refuse the start, if any
   */
  async prepare(): Promise<string | undefined> {
    const { sharing, root } = this.setting;
    if (!sharing) return undefined;
    const layout = (await this.layout([]))?.layout;
    if (layout === undefined) this.onRefused({ tenant_id: null, reason: 'not_assigned', root });
    if (layout === 'moving') this.onRefused({ tenant_id: null, reason: 'being_moved', root });
    return layout === undefined || layout === 'moving' ? undefined : this.disagreement(layout, sharing);
  }

  /** The conflict between the setting and the record. */
  private disagreement(layout: FolderLayout['layout'], sharing: { variable: string; on: boolean }): string | undefined {
    const { variable, root } = this.setting;
    if (!sharing.on && layout === 'shared')
      return `${variable} ${root} is shared by all tenants, but ${sharing.variable} is not true: set it, or use npm run countersign -- move-workspace --tenant <id>`;
    if (!sharing.on || layout === 'shared') return undefined;
    const instead =
      layout === 'by_tenant' ? 'a folder per tenant: set another root' : 'one tenant: use npm run countersign -- move-workspace --share';
    return `${sharing.variable} is true, but ${variable} ${root} is laid out for ${instead}, or set ${sharing.variable} to false`;
  }

  /**
   * The real path of this tenant's folder, created if missing. The record is read each time, because the operator may restore or move it.
   * @param began_at_ms when the effect of the call began; 0: not yet
   * @throws ToolError (effect `none`) if the tenant has none
   */
  async of(tenant_id: string, began_at_ms = 0): Promise<string> {
    try {
      return await this.found({ tenant_id, began_at_ms });
    } catch (error) {
      if (isToolError(error)) throw error;
      if (error instanceof LayoutDamaged) throw this.refused(tenant_id, 'layout_damaged');
      throw this.unusable(error);
    }
  }

  /** The real path of the folder that all tenants share; it may be missing. @throws ToolError (effect `none`) */
  async common(): Promise<string> {
    try {
      return join(await madeRoot(this.setting.root), COMMON_FOLDER);
    } catch (error) {
      throw this.unusable(error);
    }
  }

  private async found(asker: Asker): Promise<string> {
    const { root, sharing } = this.setting;
    const { tenant_id } = asker;
    if (!sharing) return ownFolder(root, tenant_id);
    const placement = placementOf(await this.layout([tenant_id]), asker, sharing.on);
    if (placement.kind === 'own_folder') return ownFolder(root, tenant_id);
    if (placement.kind === 'root') return madeRoot(root);
    throw this.refused(tenant_id, placement.reason);
  }

  /** The recorded layout; recorded now if there is none and it is unambiguous. */
  private async layout(callers: readonly string[]): Promise<FolderLayout | undefined> {
    const { root, sharing } = this.setting;
    const recorded = await readLayout(root);
    if (recorded) return recorded;
    const tenants = new Set([...this.tenants(), ...callers]);
    const first = firstLayout((await filesIn(root)).length > 0, tenants, sharing?.on === true);
    if (!first) return undefined;
    await createLayout(await madeRoot(root), first);
    return readLayout(root);
  }

  private refused(tenant_id: string, reason: Refusal): ToolError {
    const { variable, root } = this.setting;
    this.onRefused({ tenant_id, reason, root });
    const moving = reason === 'being_moved';
    return new ToolError('PROVIDER_ERROR', `the folder ${variable} ${ADVICE[reason]}`, {
      class: moving ? 'transient' : 'authorization',
      retryable: moving,
      details: { reason, setting: variable, command: 'countersign move-workspace' },
      effect: 'none',
    });
  }

  private unusable(error: unknown): ToolError {
    const { variable } = this.setting;
    const code = codeOf(error) ?? 'UNKNOWN';
    return new ToolError('PROVIDER_ERROR', `the folder ${variable} cannot be used (${code}): an operator must repair it`, {
      details: { reason: code.toLowerCase(), setting: variable },
      effect: 'none',
    });
  }
}
