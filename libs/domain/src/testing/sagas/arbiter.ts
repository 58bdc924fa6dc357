import type { EffectEvidence } from '@countersign/contracts';
import type { EndStep } from '../../saga/running/commands.js';
import type { Seeded } from '../lanes/seeded.js';

interface KeyedEffect {
  attempt: number;
  /** True if the external effect happened. */
  happened: boolean;
}

interface ModelCall {
  key: string;
  text: string;
  /** Null while the call is open. */
  status: EndStep['status'] | null;
  effect: EffectEvidence;
  /** Late evidence: the call took effect although the opposite was reported, or a doubt is resolved. */
  truth: boolean;
  attempt: number;
  is_cancelled: boolean;
  /** The reported end is wrong: the truth arrives as late evidence. */
  is_misreported: boolean;
}

/** The executors and the external world: one effect per key, however often a call is sent. */
export class Arbiter {
  readonly calls = new Map<string, ModelCall>();
  readonly keys = new Map<string, KeyedEffect>();
  readonly fired = new Map<string, number>();
  /** The calls that were sent, by key. */
  readonly sent = new Map<string, string>();
  readonly broken: string[] = [];
  /** Stops all faults. */
  is_calm = false;

  constructor(private readonly random: Seeded) {}

  submit(call_id: string, key: string, text: string): void {
    if ((this.sent.get(key) ?? text) !== text) this.broken.push(`S2: key ${key} was sent with ${text} after ${this.sent.get(key)}`);
    this.sent.set(key, text);
    if (this.calls.has(call_id)) return;
    const attempt = this.keys.get(key)?.attempt ?? 1;
    this.calls.set(call_id, { key, text, status: null, effect: 'none', truth: false, attempt, is_cancelled: false, is_misreported: false });
  }

  cancel(call_id: string): void {
    const call = this.calls.get(call_id);
    if (call && call.status === null) call.is_cancelled = true;
  }

  /** Ends an open call: the actual result and the reported one. */
  run(call_id: string, is_write: boolean): void {
    const call = this.calls.get(call_id);
    if (!call || call.status !== null) return;
    const held = this.keys.get(call.key);
    if (held?.happened) Object.assign(call, { status: 'succeeded', effect: 'happened', truth: true, attempt: held.attempt });
    else if (call.is_cancelled && !this.random.oneIn(3)) call.status = 'cancelled';
    else this.fire(call, is_write);
  }

  private fire(call: ModelCall, is_write: boolean): void {
    const roll = this.is_calm ? 0 : this.random.below(12);
    if (roll <= 5) this.happen(call, 'succeeded', 'happened');
    else if (roll === 6) this.happen(call, 'failed', 'happened');
    else if (roll === 7) this.happen(call, 'in_doubt', 'unknown');
    else if (roll === 8) Object.assign(call, { status: 'in_doubt', effect: 'unknown' });
    else if (roll === 9 && is_write && this.random.oneIn(4)) this.happen(call, 'failed', 'none');
    else Object.assign(call, { status: roll === 10 ? 'denied' : 'failed' });
  }

  private happen(call: ModelCall, status: EndStep['status'], effect: EffectEvidence): void {
    call.is_misreported = effect === 'none';
    const held = this.keys.get(call.key);
    if (!held?.happened) this.fired.set(call.key, (this.fired.get(call.key) ?? 0) + 1);
    this.keys.set(call.key, { attempt: call.attempt, happened: true });
    Object.assign(call, { status, effect, truth: true });
  }
}
