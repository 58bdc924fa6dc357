import type { Vault } from '@countersign/store';

/** Resolves the secrets of OpenID clients. */
export class ClientSecrets {
  constructor(
    private readonly vault: Pick<Vault, 'clientSecret'>,
    private readonly now_ms: () => number,
  ) {}

  /** @throws Error if the tenant has no such secret for a client, or it has expired. */
  async of(tenant_id: string, name: string | null): Promise<string | null> {
    if (name === null) return null;
    const found = await this.vault.clientSecret(tenant_id, name, this.now_ms());
    if ('missing' in found) throw new Error(`the workspace's secret ${name} of the client is ${found.missing}`);
    return found.value;
  }
}
