import { cosignedAt, type NoteVerifier, openCheckpoint, parseNote, signatureLine, type Witness } from '@countersign/proofs';
import type { CheckpointStore } from './checkpoint-store.js';
import type { KeptText } from './kept-text.js';

/** Maximum of the newest checkpoints with incomplete cosignatures that are stored. */
const PENDING_MAX = 64;

/** A checkpoint with the signature lines of witnesses. */
export interface Cosigned {
  number: number;
  note: string;
}

interface Kept {
  complete: Cosigned | null;
  /** Number → witness (its vkey) → its line. */
  pending: [number, [string, string][]][];
}

/** Stores cosignatures: the newest checkpoint that all witnesses cosigned, and those that some cosigned. */
export class CosignedNotes {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly kept: KeptText,
    private readonly checkpoints: CheckpointStore,
    private readonly log: NoteVerifier,
    private readonly witnesses: readonly Witness[],
  ) {}

  /** True if witnesses are configured. */
  get asks(): boolean {
    return this.witnesses.length > 0;
  }

  /** True if a witness checks heads. Otherwise only the log itself attests that no record was rewritten. */
  get checksHeads(): boolean {
    return this.witnesses.some(({ checks }) => checks === 'heads');
  }

  /** The newest checkpoint that every witness cosigned. Undefined if there is none, or if no configured witness checks heads. */
  async newest(): Promise<Cosigned | undefined> {
    return !this.checksHeads ? undefined : (keptOf(await this.kept.read()).complete ?? undefined);
  }

  /**
   * The newest checkpoint if the signatures of the log and of every witness are valid. The store is not trusted: a writer may change it.
   */
  async verified(): Promise<Cosigned | undefined> {
    const newest = await this.newest();
    const opened = newest && openCheckpoint(newest.note, this.log);
    if (opened?.size !== (newest?.number ?? 0) + 1) return undefined;
    return newest && this.hasAll(newest.note) ? newest : undefined;
  }

  /** True if the log and every witness signed this note. */
  hasAll(note: string): boolean {
    const opened = openCheckpoint(note, this.log);
    return opened !== undefined && this.witnesses.every(({ key }) => cosignedAt(opened.note, key) !== undefined);
  }

  /** Stores the witness lines of a note. Returns the witnesses, or a reason if the note is not a checkpoint of this log. */
  add(note: string): Promise<{ witnesses: string[] } | { refused: string }> {
    const done = this.turn.then(() => this.keep(note));
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async keep(text: string): Promise<{ witnesses: string[] } | { refused: string }> {
    const opened = openCheckpoint(text, this.log);
    if (!opened) return { refused: 'the note is not a checkpoint that this log signed' };
    const number = opened.size - 1;
    const own = await this.checkpoints.at(number);
    if (!own || parseNote(own.record.note)?.text !== opened.note.text) return { refused: 'the checkpoint is not one of this log' };
    const lines = this.witnesses.flatMap(({ key }): [string, string][] => {
      if (cosignedAt(opened.note, key) === undefined) return [];
      const line = opened.note.signatures.find(({ name, key_hash }) => name === key.name && key_hash === key.key_hash);
      return line ? [[key.vkey, signatureLine(line)]] : [];
    });
    if (lines.length === 0) return { refused: 'none of the witnesses that this log requires has cosigned it' };
    await this.merge(number, own.record.note, lines);
    return { witnesses: lines.map(([vkey]) => vkey.split('+')[0] as string) };
  }

  /** Retries if another gateway stored cosignatures at the same time, so that both are kept. */
  private async merge(number: number, note: string, lines: readonly [string, string][]): Promise<void> {
    for (;;) {
      const known = await this.kept.read();
      if (await this.kept.replace(known, JSON.stringify(this.with(keptOf(known), number, note, lines)))) return;
    }
  }

  private with({ complete, pending }: Kept, number: number, note: string, lines: readonly [string, string][]): Kept {
    const byNumber = new Map(pending);
    const all = new Map([...(byNumber.get(number) ?? []), ...lines]);
    if (this.witnesses.every(({ key }) => all.has(key.vkey)) && number >= (complete?.number ?? 0)) {
      const cosigned = { number, note: note + [...all.values()].join('') };
      return { complete: cosigned, pending: pending.filter(([each]) => each > number) };
    }
    byNumber.set(number, [...all]);
    return { complete, pending: [...byNumber].sort(([a], [b]) => b - a).slice(0, PENDING_MAX) };
  }
}

function keptOf(text: string | undefined): Kept {
  return text === undefined ? { complete: null, pending: [] } : (JSON.parse(text) as Kept);
}
