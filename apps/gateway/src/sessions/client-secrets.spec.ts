import { Vault } from '@countersign/store';
import { expect, test } from 'vitest';
import { ClientSecrets } from './client-secrets.js';

const terms = { now_ms: 0, expires_at_ms: null, must_exist: false };

test('a tenant sends only secrets of its own workspace to its provider; tenant default may use those of the installation', async () => {
  const vault = Vault.inMemory();
  await vault.set({ tenant_id: '', scope: 'org', owner: '', name: 'shared' }, 'of the installation', terms);
  await vault.set({ tenant_id: 'acme', scope: 'workspace', owner: '', name: 'own' }, 'of acme', terms);
  await vault.set({ tenant_id: 'acme', scope: 'user', owner: 'ann', name: 'of_ann' }, 'of ann', terms);
  const secrets = new ClientSecrets(vault, () => 1);
  expect(await secrets.of('acme', 'own')).toBe('of acme');
  expect(await secrets.of('default', 'shared')).toBe('of the installation');
  expect(await secrets.of('acme', null)).toBeNull();
  for (const name of ['shared', 'of_ann', 'nothing']) await expect(secrets.of('acme', name)).rejects.toThrow(name);
  await expect(secrets.of('globex', 'own')).rejects.toThrow('absent');
});
