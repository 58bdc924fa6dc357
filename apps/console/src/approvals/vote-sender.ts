import { UNREACHABLE } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';
import type { VoteBody } from './approval.js';
import { castVote } from './cast-vote.js';
import { type HeldEvent, type HeldState, type HeldVote, keptOf, nextHeld } from './held-vote.js';

/** Below the prefix of drafts: sign-out and another person's sign-in delete it. */
const KEY = 'countersign:draft:votes';
/** A vote that was interrupted less than this ago is sent again; an older one waits for its voter. */
const RESUMED_WITHIN_MS = 60_000;

const NONE: HeldState = { kind: 'none' };

/** Sends the votes of one person in one tab. Each is kept in the session's store until it is answered. */
export class VoteSender {
  private readonly states = new Map<string, HeldState>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Set<() => void>();
  private readonly closing = new AbortController();

  constructor(
    private readonly gateway: Gateway,
    private readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  ) {}

  /** Sends what is held when the page is left, and takes up what an earlier page left behind. */
  open(page: Window): void {
    const { signal } = this.closing;
    page.addEventListener('pagehide', () => this.sendAll(true), { signal });
    page.document.addEventListener('freeze', () => this.sendAll(true), { signal });
    this.gateway.leaving.add(this.leave);
    this.resume(Date.now());
  }

  close(): void {
    this.closing.abort();
    this.gateway.leaving.delete(this.leave);
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  state(approval_id: string): HeldState {
    return this.states.get(approval_id) ?? NONE;
  }

  /** Those that are not answered, or whose answer nobody has seen. */
  all(): [approval_id: string, state: HeldState][] {
    return [...this.states];
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sends a vote after a while in which `undo` takes it back; at once without a while. */
  cast(vote: { approval_id: string; body: VoteBody; sentence: string }, hold_ms = 0): void {
    const held: HeldVote = { ...vote, held_at_ms: Date.now() };
    const before = this.state(vote.approval_id);
    const after = this.apply(vote.approval_id, { type: 'hold', vote: held, hold_ms });
    if (after === before) return;
    if (after.kind === 'held')
      this.timers.set(
        vote.approval_id,
        setTimeout(() => void this.send(vote.approval_id), hold_ms),
      );
    if (after.kind === 'sending') void this.deliver(held, false);
  }

  undo(approval_id: string): void {
    this.stopTimer(approval_id);
    this.apply(approval_id, { type: 'undo' });
  }

  drop(approval_id: string): void {
    this.apply(approval_id, { type: 'drop' });
  }

  /** Sends a held vote now, or one that may not have arrived again. */
  async send(approval_id: string, keepalive = false): Promise<void> {
    const before = this.state(approval_id);
    this.stopTimer(approval_id);
    const after = this.apply(approval_id, { type: 'send' });
    if (after !== before && after.kind === 'sending') await this.deliver(after.vote, keepalive);
  }

  private readonly leave = (): Promise<void> => this.sendAll(false);

  private async sendAll(keepalive: boolean): Promise<void> {
    const held = this.all().filter(([, { kind }]) => kind === 'held');
    await Promise.all(held.map(([approval_id]) => this.send(approval_id, keepalive)));
  }

  private async deliver({ approval_id, body }: HeldVote, keepalive: boolean): Promise<void> {
    const answer = await castVote(this.gateway, approval_id, body, keepalive).catch(() => ({ ok: false as const, problem: UNREACHABLE }));
    this.apply(approval_id, { type: 'answer', answer });
    this.gateway.invalidator.changed({ kind: 'approval', id: approval_id });
  }

  private apply(approval_id: string, event: HeldEvent): HeldState {
    const before = this.state(approval_id);
    const after = nextHeld(before, event);
    if (after === before) return before;
    if (after.kind === 'none') this.states.delete(approval_id);
    else this.states.set(approval_id, after);
    this.keep();
    for (const listener of [...this.listeners]) listener();
    return after;
  }

  private keep(): void {
    const kept = [...this.states.values()].map(keptOf).filter((vote) => vote !== undefined);
    try {
      if (kept.length === 0) this.store.removeItem(KEY);
      else this.store.setItem(KEY, JSON.stringify(kept));
    } catch {
      // a full store: the votes stay in this page
    }
  }

  private resume(now_ms: number): void {
    for (const vote of storedVotes(this.store.getItem(KEY))) {
      this.apply(vote.approval_id, { type: 'found', vote });
      if (now_ms - vote.held_at_ms < RESUMED_WITHIN_MS) void this.send(vote.approval_id);
    }
  }

  private stopTimer(approval_id: string): void {
    clearTimeout(this.timers.get(approval_id));
    this.timers.delete(approval_id);
  }
}

function storedVotes(text: string | null): HeldVote[] {
  try {
    const value = JSON.parse(text ?? '[]') as unknown;
    return Array.isArray(value)
      ? (value as HeldVote[]).filter((one) => typeof one?.approval_id === 'string' && one.body !== undefined)
      : [];
  } catch {
    return [];
  }
}
