import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { uuidv7 } from '@countersign/contracts';
import { tenantOf } from '@countersign/domain';
import type { Clock, Configuration } from '@countersign/process';
import { hashApiKey, mintApiKey } from '../identity/api-key.js';
import type { ConfigurationWriter } from '../identity/configuration-writer.js';
import { DEFAULT_TENANT, tenantDefaults } from '../identity/tenants.js';

const ADMIN = { kind: 'user' as const, id: 'admin', roles: ['admin'] };

/** Kept before it is recorded, so that no start leaves a key that nobody has. */
async function keep(directory: string, key: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = path.join(directory, 'admin.key');
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/**
 * The first start of an installation makes tenant `default` and an admin key; only the key's hash goes on the log.
 * @returns the key, or undefined where the tenant has one already.
 */
export async function firstStart(
  configuration: Configuration,
  writer: ConfigurationWriter,
  options: { data_dir: string; clock: Clock },
): Promise<string | undefined> {
  const state = configuration.state;
  const hasAdmin = [...state.keys_by_id.values()].some(
    (key) => key.tenant_id === DEFAULT_TENANT && key.principal.roles.includes('admin') && key.revoked_at_ms === null,
  );
  if (hasAdmin && tenantOf(state, DEFAULT_TENANT)) return undefined;
  if (!tenantOf(state, DEFAULT_TENANT)) await writer.set(DEFAULT_TENANT, 'tenant_set', { ...tenantDefaults, principal: ADMIN });
  if (hasAdmin) return undefined;
  const key = mintApiKey();
  await keep(options.data_dir, key);
  const now_ms = options.clock.now_ms();
  await writer.set(DEFAULT_TENANT, 'api_key_set', {
    key_id: uuidv7(now_ms),
    key_hash: hashApiKey(key),
    principal: ADMIN,
    scopes: [],
    expires_at_ms: null,
    created_at_ms: now_ms,
    by: ADMIN,
  });
  return key;
}
