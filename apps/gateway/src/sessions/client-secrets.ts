import type { Vault } from '@countersign/store';
import { DEFAULT_TENANT } from '../configuration/default-tenant.js';

/** A name that no user has: only secrets of the workspace and the installation are found. */
const NO_USER = '';

/** Resolves the secrets of OpenID clients. */
export class ClientSecrets {
  constructor(
    private readonly vault: Pick<Vault, 'resolve'>,
    private readonly now_ms: () => number,
  ) {}

  /**
   * A tenant other than `default` uses only its own secrets, because it chooses the server that they are sent to. @throws Error if the
   * secret does not exist or has expired.
   */
  async of(tenant_id: string, name: string | null): Promise<string | null> {
    if (name === null) return null;
    const found = await this.vault.resolve({ tenant_id, user_id: NO_USER, name }, this.now_ms());
    if ('missing' in found) throw new Error(`the secret ${name} of the client is ${found.missing}`);
    if (found.scope !== 'workspace' && tenant_id !== DEFAULT_TENANT)
      throw new Error(`the secret ${name} of the client must be one of the workspace`);
    return found.value;
  }
}
