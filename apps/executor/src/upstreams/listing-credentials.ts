import type { Clock } from '@countersign/process';
import type { UpstreamCredentials } from '@countersign/runtimes';
import type { Vault } from '@countersign/store';
import { credentialsOf } from './upstream-calls.js';

/** The secrets of a listing, or which of them is missing. */
export type FoundCredentials = { credentials: UpstreamCredentials } | { missing: string };

/** Secrets for listings. A listing is of the tenant and of no user: only secrets of the workspace count. */
export class ListingCredentials {
  constructor(
    private readonly vault: Pick<Vault, 'clientSecret'>,
    private readonly clock: Pick<Clock, 'now_ms'>,
  ) {}

  async of(tenant_id: string, wanted: readonly { secret: string; env: string | null }[]): Promise<FoundCredentials> {
    const values: { env: string | null; value: string }[] = [];
    for (const { secret: name, env } of wanted) {
      const found = await this.vault.clientSecret(tenant_id, name, this.clock.now_ms());
      if ('missing' in found) return { missing: `the secret ${name} is ${found.missing}: PUT /v1/secrets/workspace/${name}` };
      values.push({ env, value: found.value });
    }
    return { credentials: credentialsOf(values, null) };
  }
}
