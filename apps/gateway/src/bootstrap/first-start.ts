import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_TENANT, uuidv7 } from '@countersign/contracts';
import { baseOf, hasAdminKey, itemNames, tenantOf } from '@countersign/domain';
import type { Clock, Configuration } from '@countersign/process';
import { hashApiKey, mintApiKey, prefixOf } from '../authentication/api-key.js';
import type { ConfigurationWriter } from '../configuration/configuration-writer.js';
import { tenantDefaults } from '../configuration/default-tenant.js';
import { SignInLinks } from '../sessions/sign-in-links.js';

const ADMIN = { kind: 'user' as const, id: 'admin', roles: ['admin'] };

/** Write the key to a temporary file before recording it, so that a crash never orphans a key. Rename it once the record is valid. */
async function keep(directory: string, key_id: string, key: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `admin.key.${key_id}`);
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return file;
}

/** Renames the key file of an earlier start that was killed after its record took effect. */
async function finishNaming(configuration: Configuration, directory: string): Promise<undefined> {
  const names = await readdir(directory).catch((): string[] => []);
  for (const name of names) {
    const key_id = /^admin\.key\.([0-9a-f-]{36})$/.exec(name)?.[1];
    if (key_id === undefined || names.includes('admin.key')) continue;
    if (configuration.state.keys_by_id.has(key_id)) await rename(path.join(directory, name), path.join(directory, 'admin.key'));
  }
}

/** What the first start shows once. */
export interface FirstCredentials {
  admin_key: string;
  /** Token of a link that signs in the person `you`. */
  sign_in_token: string;
}

/**
 * The first start of an installation creates tenant `default`, an admin key and the person `you`, who signs in by link; only hashes are
 * logged. If several gateways start together, the first record wins and every fold ignores the others. @returns undefined if the tenant
 * already has a key or another gateway was first.
 */
export async function firstStart(
  configuration: Configuration,
  writer: ConfigurationWriter,
  options: { data_dir: string; clock: Clock },
): Promise<FirstCredentials | undefined> {
  if (!tenantOf(configuration.state, DEFAULT_TENANT)) {
    const versions = baseOf(configuration.state.changes, DEFAULT_TENANT, [itemNames.tenant]);
    await writer.change(DEFAULT_TENANT, 'tenant_set', { ...tenantDefaults, principal: ADMIN }, { versions, is_required: false });
  }
  if (hasAdminKey(configuration.state, DEFAULT_TENANT)) return finishNaming(configuration, options.data_dir);
  const key = mintApiKey();
  const now_ms = options.clock.now_ms();
  const key_id = uuidv7(now_ms);
  const file = await keep(options.data_dir, key_id, key);
  const rights = { scopes: [], clearances: ['*'], purposes: null, expires_at_ms: null };
  const fields = {
    key_id,
    key_hash: hashApiKey(key),
    key_prefix: prefixOf(key),
    principal: ADMIN,
    ...rights,
    created_at_ms: now_ms,
    by: ADMIN,
    only_if_first: true,
    owner: null,
  };
  await writer.set(DEFAULT_TENANT, 'api_key_set', fields);
  if (!configuration.state.keys_by_id.has(key_id)) {
    await rm(file, { force: true });
    return undefined;
  }
  await rename(file, path.join(options.data_dir, 'admin.key'));
  const links = new SignInLinks({ state: configuration.state, writer, now_ms: () => options.clock.now_ms() });
  const { token } = await links.make(ADMIN);
  return { admin_key: key, sign_in_token: token };
}
