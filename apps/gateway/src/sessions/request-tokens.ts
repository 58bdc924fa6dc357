import { createHmac, timingSafeEqual } from 'node:crypto';
import { type TenantKeys, tenantKeyFor } from '@countersign/process';

export const REQUEST_TOKEN_HEADER = 'countersign-session';

/** The token that a page sends with each request that changes state: an HMAC of its session id. */
export class RequestTokens {
  constructor(private readonly keys: TenantKeys) {}

  of(tenant_id: string, session_id: string): string {
    return createHmac('sha256', tenantKeyFor(this.keys, tenant_id, 'request-token'))
      .update(session_id)
      .digest('base64url');
  }

  accepts(tenant_id: string, session_id: string, sent: unknown): boolean {
    if (typeof sent !== 'string') return false;
    const [given, expected] = [Buffer.from(sent), Buffer.from(this.of(tenant_id, session_id))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
