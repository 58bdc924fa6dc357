import { DEFAULT_TENANT } from '@countersign/contracts';
import { type ConfigurationState, tenantIdsOf } from '@countersign/domain';
import { CannotOpen, type Environment, type Logger, usableFolder } from '@countersign/process';
import { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { foldersOf, type PackSettings } from './pack-settings.js';

/** Maximum of tenants and reasons that are remembered, so that each is logged once. */
const LOGGED_MAX = 1_000;

/**
 * The folder settings of these packs, by variable. Creates missing folders. @throws CannotOpen if this user cannot read and write in one
 */
export async function runFolders(
  packs: readonly PackSettings[],
  environment: Environment,
  configuration: { readonly state: ConfigurationState },
  logger: Logger,
): Promise<ReadonlyMap<string, TenantFolders>> {
  const folders = new Map<string, TenantFolders>();
  const logged = new Set<string>();
  for (const [variable, setting] of foldersOf(packs, environment)) {
    await usableFolder(variable, setting.root);
    const onRefused = (refused: { tenant_id: string | null; reason: string; root: string }) => {
      const id = JSON.stringify([variable, refused.tenant_id, refused.reason]);
      if (logged.has(id) || logged.size >= LOGGED_MAX) return;
      logged.add(id);
      logger.error(
        { event: 'tenant_folder_refused', variable, ...refused },
        'the folder of a tenant cannot be used: run npm run countersign -- move-workspace',
      );
    };
    folders.set(variable, new TenantFolders(setting, () => tenantsOf(configuration.state), onRefused));
  }
  return folders;
}

function tenantsOf(state: ConfigurationState): string[] {
  const ids = tenantIdsOf(state);
  return ids.length > 0 ? ids : [DEFAULT_TENANT];
}

/** Records the folder of each tenant's files, once the tenants are known. @throws CannotOpen if a setting contradicts the disk */
export async function prepareFolders(folders: ReadonlyMap<string, TenantFolders>): Promise<void> {
  for (const [variable, folder] of folders) {
    const fault = await folder.prepare().catch((cause: Error) => `${variable}: ${cause.message}`);
    if (fault !== undefined) throw new CannotOpen(fault);
  }
}
