import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type TenantKeys, tenantKeyFor } from './tenant-keys.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What the sealed texts are for: each purpose has its own key. */
export type SecretPurpose = 'webhook-secret' | 'tool-endpoint-secret' | 'browser-session' | 'sign-in-flow';

/**
 * Encrypts signing secrets for the log, and cookies: AES-256-GCM under a key of the tenant, bound to their owner (a webhook, a version of a
 * tool, the name of a cookie).
 */
export class SealedSecrets {
  constructor(
    private readonly keys: TenantKeys,
    private readonly purpose: SecretPurpose = 'webhook-secret',
  ) {}

  /** A new secret in the form of Standard Webhooks. */
  mint(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  seal(tenant_id: string, owner: string, secret: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key(tenant_id), nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Undefined if it was encrypted for another owner or tenant, or was modified. */
  open(tenant_id: string, owner: string, text: string): string | undefined {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.key(tenant_id), bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  private key(tenant_id: string): Buffer {
    return tenantKeyFor(this.keys, tenant_id, this.purpose);
  }
}
