import { createHmac, hkdfSync } from 'node:crypto';
import { ANSWER_MAX_MS, type Callback, type CallbackDelivery, callbackFault, type Taken } from '@countersign/calls';
import { outboundRequest, type TenantKeys } from '@countersign/process';

/** The secret that a tenant's callbacks are signed with, as Standard Webhooks writes it (`whsec_…`). */
export function callbackSecret(keys: TenantKeys, tenantId: string): string {
  const key = hkdfSync('sha256', keys.tenantKey(tenantId), Buffer.alloc(0), 'countersign/callback', 32);
  return `whsec_${Buffer.from(key).toString('base64')}`;
}

/** Headers of Standard Webhooks 1.0.0. */
function signedHeaders(secret: string, callback: Pick<Callback, 'webhook_id' | 'body'>, now_ms: number): Record<string, string> {
  const timestamp = String(Math.floor(now_ms / 1000));
  const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${callback.webhook_id}.${timestamp}.${callback.body}`)
    .digest('base64');
  return { 'webhook-id': callback.webhook_id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Sends one callback. Redirects are not followed. @returns whether the receiver took it, and whether to try again where not. */
export class CallbackSender implements CallbackDelivery {
  constructor(
    private readonly keys: TenantKeys,
    private readonly now_ms: () => number,
    private readonly allow_private: boolean,
  ) {}

  secretOf(tenantId: string): string {
    return callbackSecret(this.keys, tenantId);
  }

  send(callback: Callback): Promise<Taken> {
    return this.post(callback, signedHeaders(callbackSecret(this.keys, callback.tenant_id), callback, this.now_ms()));
  }

  /** Signed with a secret of its own; null: not signed. */
  sendWith(secret: string | null, callback: Omit<Callback, 'tenant_id'>): Promise<Taken> {
    return this.post(callback, secret === null ? {} : signedHeaders(secret, callback, this.now_ms()));
  }

  private post(callback: Pick<Callback, 'url' | 'body'>, signed: Readonly<Record<string, string>>): Promise<Taken> {
    if (callbackFault(callback.url, this.allow_private) !== undefined) return Promise.resolve('refused');
    const url = new URL(callback.url);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(callback.body), ...signed };
    return new Promise((done) => {
      const options = { method: 'POST', headers, timeout: ANSWER_MAX_MS };
      const sent = outboundRequest(url, options, { allow_private: this.allow_private }, (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        done(status >= 200 && status < 300 ? 'taken' : status === 410 ? 'refused' : 'try_again');
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => done('try_again'));
      sent.on('close', () => done('try_again'));
      sent.end(callback.body);
    });
  }
}
