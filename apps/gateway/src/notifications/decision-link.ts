import { createHmac, timingSafeEqual } from 'node:crypto';
import { type TenantKeys, tenantKeyFor } from '@countersign/process';
import { z } from 'zod';

const claims = z.strictObject({
  tenant_id: z.string().max(100),
  approval_id: z.string(),
  /** The channel that sent the link; its `acts_as` is the voter. */
  webhook_id: z.string(),
  expires_at_ms: z.int(),
});

/** Claims of a decision link: request, channel and expiry. */
export type DecisionClaims = z.infer<typeof claims>;

/** Links that vote on one request without an API key: signed with a key of the tenant, with an expiry. */
export class DecisionLinks {
  constructor(
    private readonly keys: TenantKeys,
    private readonly public_url: string,
    private readonly now_ms: () => number,
  ) {}

  link(of: DecisionClaims): string {
    return `${this.public_url}/v1/decisions?token=${this.token(of)}`;
  }

  token(of: DecisionClaims): string {
    const body = Buffer.from(JSON.stringify(of)).toString('base64url');
    return `${body}.${this.signature(of.tenant_id, body).toString('base64url')}`;
  }

  /** The claims of a token with a valid signature, expired or not. Undefined for anything else. */
  read(token: string): { claims: DecisionClaims; expired: boolean } | undefined {
    const [body = '', signature = '', ...rest] = token.split('.');
    if (rest.length > 0) return undefined;
    let parsed: DecisionClaims;
    try {
      parsed = claims.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    } catch {
      return undefined;
    }
    const given = Buffer.from(signature, 'base64url');
    const expected = this.signature(parsed.tenant_id, body);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return { claims: parsed, expired: this.now_ms() >= parsed.expires_at_ms };
  }

  private signature(tenant_id: string, body: string): Buffer {
    return createHmac('sha256', tenantKeyFor(this.keys, tenant_id, 'decision-link'))
      .update(body)
      .digest();
  }
}
