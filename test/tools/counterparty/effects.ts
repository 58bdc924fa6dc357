import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fdatasync);

/** One effect as the counterparty keeps it; one JSON line of its file. */
export interface Effect {
  seq: number;
  key: string;
  account: string;
  amount: number;
  note: string;
  /** When it was asked for, and when it happened, by the counterparty's clock. */
  asked_at_ms: number;
  at_ms: number;
}

/**
 * The effects that really happened, counted where they happen. Each is written and synced before anybody hears of it,
 * so a kill of the process loses none that was answered. Syncs are shared by all that wait.
 */
export class Effects {
  private readonly fd: number;
  private readonly byKey = new Map<string, Effect[]>();
  private count = 0;
  private syncing: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(file: string) {
    this.fd = openSync(file, 'a+');
    for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) this.keep(JSON.parse(line) as Effect);
  }

  /** Does the effect; resolves when it is on disk. */
  async add(effect: Omit<Effect, 'seq'>): Promise<Effect> {
    const kept = { seq: this.count + 1, ...effect };
    writeSync(this.fd, `${JSON.stringify(kept)}\n`);
    this.keep(kept);
    await this.durable();
    return kept;
  }

  /** The effects of one key, durable by the time this resolves. */
  async of(key: string): Promise<readonly Effect[]> {
    const found = this.byKey.get(key) ?? [];
    if (found.length > 0) await this.durable();
    return found;
  }

  /** At once, for a key that must be done only once: what is already there. */
  first(key: string): Effect | undefined {
    return this.byKey.get(key)?.[0];
  }

  stats(): { effects: number; keys: number; duplicates: { key: string; count: number }[] } {
    const duplicates = [...this.byKey].filter(([, all]) => all.length > 1).map(([key, all]) => ({ key, count: all.length }));
    return { effects: this.count, keys: this.byKey.size, duplicates };
  }

  close(): void {
    closeSync(this.fd);
  }

  private keep(effect: Effect): void {
    this.count++;
    const same = this.byKey.get(effect.key);
    if (same) same.push(effect);
    else this.byKey.set(effect.key, [effect]);
  }

  /** A sync that began after now: the running one may have begun before our write. */
  private durable(): Promise<void> {
    if (!this.syncing) return this.start();
    this.next ??= this.syncing.then(() => {
      this.next = undefined;
      return this.start();
    });
    return this.next;
  }

  private start(): Promise<void> {
    this.syncing = sync(this.fd).finally(() => {
      this.syncing = undefined;
    });
    return this.syncing;
  }
}
