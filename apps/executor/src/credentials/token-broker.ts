import type { TokenExchange } from '@countersign/domain';
import { exchangeText, type OutboundDoor } from '@countersign/outbound';
import { actorToken, type Clock, type TenantKeys } from '@countersign/process';
import type { Vault } from '@countersign/store';
import { LRUCache } from 'lru-cache';

/** The user and the agent of a token. */
export interface TokenFor {
  tenant_id: string;
  agent_id: string;
  /** Reference of the user's encrypted token. */
  user_token_ref: string;
}

export type Brokered =
  | { kind: 'token'; value: string; behind: string[] }
  /** The user's token, or the client's secret, must be issued again. */
  | { kind: 'reissue'; what: 'user_token' | 'client_secret'; reason: 'absent' | 'expired' | 'refused' }
  | { kind: 'unavailable'; why: string };

interface Kept {
  value: string;
  behind: string[];
  renew_ms: number;
}

const TYPE = 'urn:ietf:params:oauth:token-type:';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const RENEW_BEFORE_MS = 30_000;
const LIFE_DEFAULT_S = 60;
const KEPT_MAX = 5_000;

/**
 * Exchanges users' tokens for short-lived tokens of another audience (RFC 8693), with the agent as the actor. Caches a token in memory
 * until shortly before it expires, only for its tenant, user, agent and audience.
 */
export class TokenBroker {
  private readonly kept = new LRUCache<string, Kept>({ max: KEPT_MAX });
  private readonly asking = new Map<string, Promise<Brokered>>();

  constructor(
    private readonly vault: Vault,
    private readonly keys: TenantKeys,
    private readonly clock: Clock,
    private readonly door: OutboundDoor,
  ) {}

  async token(exchange: TokenExchange, of: TokenFor): Promise<Brokered> {
    const user = await this.vault.token(of.tenant_id, of.user_token_ref);
    if (!user) return { kind: 'reissue', what: 'user_token', reason: 'absent' };
    const { name, audience, changed_at_ms } = exchange;
    const id = JSON.stringify([of.tenant_id, user.user_id, of.agent_id, name, audience, changed_at_ms]);
    const known = this.kept.get(id);
    if (known && known.renew_ms > this.clock.now_ms()) return { kind: 'token', value: known.value, behind: known.behind };
    if (user.expires_at_ms <= this.clock.now_ms()) return { kind: 'reissue', what: 'user_token', reason: 'expired' };
    const pending = this.asking.get(id);
    if (pending) return pending;
    const answer = this.exchange(exchange, of, user.text, id).finally(() => this.asking.delete(id));
    this.asking.set(id, answer);
    return answer;
  }

  private async exchange(exchange: TokenExchange, of: TokenFor, subject_token: string, id: string): Promise<Brokered> {
    const { tenant_id, agent_id } = of;
    const secret = await this.vault.clientSecret(tenant_id, exchange.client_secret, this.clock.now_ms());
    if ('missing' in secret) return { kind: 'reissue', what: 'client_secret', reason: secret.missing };
    const now_ms = this.clock.now_ms();
    const actor_token = await actorToken(this.keys, { tenant_id, agent_id, audience: exchange.token_endpoint, now_ms });
    const body = new URLSearchParams({
      grant_type: GRANT,
      subject_token,
      subject_token_type: `${TYPE}access_token`,
      actor_token,
      actor_token_type: `${TYPE}jwt`,
      requested_token_type: `${TYPE}access_token`,
      audience: exchange.audience,
      ...(exchange.scopes.length > 0 ? { scope: exchange.scopes.join(' ') } : {}),
    });
    const basic = Buffer.from(`${encodeURIComponent(exchange.client_id)}:${encodeURIComponent(secret.value)}`).toString('base64');
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const request = { method: 'POST' as const, headers, body: body.toString() };
    const answer = await exchangeText(this.door, exchange.token_endpoint, request).catch((cause: Error) => cause);
    if (answer instanceof Error) return { kind: 'unavailable', why: `the token endpoint does not respond: ${answer.message}` };
    if (answer.status >= 500 || answer.status === 429)
      return { kind: 'unavailable', why: `the token endpoint responded with status ${answer.status}` };
    return this.read(answer, subject_token, { id, behind: [subject_token, secret.value] });
  }

  private read(answer: { status: number; text: string }, subject_token: string, kept: { id: string; behind: string[] }): Brokered {
    let response: { access_token?: unknown; expires_in?: unknown; error?: unknown };
    try {
      response = JSON.parse(answer.text) as typeof response;
    } catch {
      return { kind: 'unavailable', why: 'the token endpoint did not return JSON' };
    }
    if (response.error === 'invalid_client') return { kind: 'reissue', what: 'client_secret', reason: 'refused' };
    if (answer.status !== 200 || typeof response.access_token !== 'string')
      return { kind: 'reissue', what: 'user_token', reason: 'refused' };
    if (response.access_token === subject_token)
      return { kind: 'unavailable', why: 'the token endpoint returned the user token unchanged' };
    const life_ms = (typeof response.expires_in === 'number' && response.expires_in > 0 ? response.expires_in : LIFE_DEFAULT_S) * 1000;
    const renew_ms = this.clock.now_ms() + life_ms - Math.min(RENEW_BEFORE_MS, life_ms / 5);
    this.kept.set(kept.id, { value: response.access_token, behind: kept.behind, renew_ms });
    return { kind: 'token', value: response.access_token, behind: kept.behind };
  }
}
