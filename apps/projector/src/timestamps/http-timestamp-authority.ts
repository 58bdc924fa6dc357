import { AddressRules, OutboundDoor, type Proxies } from '@countersign/outbound';
import {
  grantedToken,
  newNonce,
  type PinnedCertificate,
  type StampAnswer,
  type TimestampAuthority,
  timestampRequest,
  verifyToken,
} from '@countersign/timestamps';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

const failed = (reason: string): StampAnswer => ({ kind: 'failed', reason });

/** The rules for the one address that the operator named: it may be in a private network. */
function rulesFor(url: string): AddressRules {
  const { hostname, port, protocol } = new URL(url);
  return AddressRules.forTools(new Set([`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`]));
}

/** An authority over HTTP (RFC 3161 section 3.4). Its tokens are checked before they are returned. */
export class HttpTimestampAuthority implements TimestampAuthority {
  private readonly door: OutboundDoor;

  constructor(
    private readonly url: string,
    private readonly pinned: readonly PinnedCertificate[],
    proxies: Proxies,
    private readonly stopping: AbortSignal,
  ) {
    this.door = new OutboundDoor(rulesFor(url), proxies);
  }

  async stamp(bytes: Uint8Array): Promise<StampAnswer> {
    const nonce = newNonce();
    const answer = await this.door.exchange({
      method: 'POST',
      url: this.url,
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: timestampRequest(bytes, nonce),
      redirects_max: 0,
      answer: { bytes_max: ANSWER_BYTES_MAX, when_larger: 'fail' },
      signal: AbortSignal.any([this.stopping, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (answer.kind === 'failed') return failed(answer.message);
    if (answer.status !== 200) return failed(`the authority answered ${answer.status}`);
    return this.checked(answer.bytes, bytes, nonce);
  }

  private checked(response: Buffer, bytes: Uint8Array, nonce: Buffer): StampAnswer {
    try {
      const token = grantedToken(response);
      if (typeof token === 'string') return failed(token);
      const verdict = verifyToken(token, bytes, this.pinned, nonce);
      return verdict.kind === 'valid' ? { kind: 'stamped', token, time_ms: verdict.time_ms } : failed(verdict.reason);
    } catch {
      return failed('the authority answered with something that is no timestamp response');
    }
  }
}
