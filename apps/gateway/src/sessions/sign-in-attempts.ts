import { Refusal } from '@countersign/calls';
import { LRUCache } from 'lru-cache';
import type { Problem } from '../http/problem.js';
import type { SessionSettings } from './session-settings.js';

const PERIOD_MS = 60_000;
/** Addresses that are counted at once. Beyond it the least recent one is forgotten; the sum of all addresses still counts. */
const ADDRESSES_MAX = 10_000;

interface Period {
  from_ms: number;
  count: number;
}

/** Counts attempts to sign in, per client address and of the gateway. */
export class SignInAttempts {
  private readonly addresses = new LRUCache<string, Period>({ max: ADDRESSES_MAX });
  private all: Period = { from_ms: 0, count: 0 };

  constructor(
    private readonly settings: Pick<SessionSettings, 'attempts_per_address_max' | 'attempts_max'>,
    private readonly monotonic_ms: () => number,
  ) {}

  /** Refuses an attempt beyond a maximum of this minute. */
  take(address: string): Problem | undefined {
    const own = this.current(this.addresses.get(address));
    this.all = this.current(this.all);
    const { attempts_per_address_max, attempts_max } = this.settings;
    if (own.count >= attempts_per_address_max) return tooMany(`your address has at most ${attempts_per_address_max}`);
    if (this.all.count >= attempts_max) return tooMany(`this gateway accepts at most ${attempts_max}`);
    own.count++;
    this.all.count++;
    this.addresses.set(address, own);
    return undefined;
  }

  private current(known: Period | undefined): Period {
    const now_ms = this.monotonic_ms();
    return known && now_ms - known.from_ms < PERIOD_MS ? known : { from_ms: now_ms, count: 0 };
  }
}

const tooMany = (bound: string): Problem => new Refusal('too-many-sign-ins', `${bound} attempts to sign in per minute: wait, then retry`);
