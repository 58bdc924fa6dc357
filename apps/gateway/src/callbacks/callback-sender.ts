import { ANSWER_MAX_MS, type Callback, type CallbackDelivery, type Taken } from '@countersign/calls';
import type { OutboundDoor, OutboundFault } from '@countersign/outbound';
import { type TenantKeys, tenantKeyFor } from '@countersign/process';
import { Webhook } from 'standardwebhooks';
import { answered, type SendError, type SendResult, unsent } from './send-result.js';

/** The secret that signs a tenant's callbacks, in the form of Standard Webhooks (`whsec_…`). */
export function callbackSecret(keys: TenantKeys, tenantId: string): string {
  return `whsec_${tenantKeyFor(keys, tenantId, 'callback').toString('base64')}`;
}

/** Headers of Standard Webhooks 1.0.0. */
function signedHeaders(secret: string, callback: Pick<Callback, 'webhook_id' | 'body'>, now_ms: number): Record<string, string> {
  const signature = new Webhook(secret).sign(callback.webhook_id, new Date(now_ms), callback.body);
  return { 'webhook-id': callback.webhook_id, 'webhook-timestamp': String(Math.floor(now_ms / 1000)), 'webhook-signature': signature };
}

/** Sends one callback. Follows no redirects. @returns whether the receiver accepted it; if not, whether to retry. */
export class CallbackSender implements CallbackDelivery {
  constructor(
    private readonly keys: TenantKeys,
    private readonly now_ms: () => number,
    private readonly door: OutboundDoor,
  ) {}

  secretOf(tenantId: string): string {
    return callbackSecret(this.keys, tenantId);
  }

  async send(callback: Callback): Promise<Taken> {
    const signed = signedHeaders(callbackSecret(this.keys, callback.tenant_id), callback, this.now_ms());
    return (await this.post(callback, signed)).taken;
  }

  /** Signed with this secret; null: not signed. */
  sendWith(secret: string | null, callback: Omit<Callback, 'tenant_id'>): Promise<SendResult> {
    return this.post(callback, secret === null ? {} : signedHeaders(secret, callback, this.now_ms()));
  }

  private async post(callback: Pick<Callback, 'url' | 'body'>, signed: Readonly<Record<string, string>>): Promise<SendResult> {
    if (this.door.fault(callback.url)) return unsent('refused', 'address_refused');
    const answer = await this.door.exchange({
      method: 'POST',
      url: callback.url,
      headers: { 'content-type': 'application/json', ...signed },
      body: callback.body,
      redirects_max: 0,
      answer: 'status_only',
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    if (answer.kind === 'failed') return unsent('try_again', errors[answer.reason] ?? 'address_refused');
    const is_taken = answer.status >= 200 && answer.status < 300;
    return answered(is_taken ? 'taken' : answer.status === 410 ? 'refused' : 'try_again', answer.status);
  }
}

/** Error codes of outbound faults, except blocked addresses. */
const errors: Readonly<Partial<Record<OutboundFault['reason'], SendError>>> = {
  timeout: 'timeout',
  network: 'connection_failed',
  too_large: 'connection_failed',
};
