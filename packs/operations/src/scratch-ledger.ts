import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counterpart } from '@countersign/tool-kit/eval-pack';
import { ROOT_SETTING } from './erp/connection.js';
import { unmarked } from './hermes/attempt-mark.js';
import { KINDS, type Kind } from './hermes/port.js';
import { Journal } from './ledger/journal.js';
import type { Entry, LedgerRecord, OpeningRecords } from './ledger/ledger-state.js';
import type { Lies } from './ledger/lies.js';

/** The records of the pack with other ids, `t_sup_alpha`: the ledger of another tenant does not have them. */
const OPENING = JSON.parse(
  readFileSync(new URL('../data/opening.json', import.meta.url), 'utf8').replace(
    /"(sup|cus|p|so|po|mo|stock|res|short|inv)_/g,
    (_all, prefix: string) => `"t_${prefix}_`,
  ),
) as OpeningRecords;

/** The ledger of tenant `test` in a folder of its own, for specs and eval packs. */
export class ScratchLedger {
  root = '';

  make(): void {
    this.root = mkdtempSync(join(tmpdir(), 'countersign-operations-'));
    mkdirSync(this.folder);
    writeFileSync(join(this.folder, 'opening.json'), JSON.stringify(OPENING));
  }

  remove(): void {
    if (this.root !== '') rmSync(this.root, { recursive: true, force: true });
  }

  get folder(): string {
    return join(this.root, 'test');
  }

  get settings(): Record<string, string> {
    return { [ROOT_SETTING]: this.root };
  }

  lie(lies: Lies): void {
    writeFileSync(join(this.folder, 'lies.json'), JSON.stringify(lies));
  }

  /** Records of both files, by kind and id, without their marks. */
  async records(): Promise<Record<string, LedgerRecord>> {
    const ledger = await new Journal(join(this.folder, 'ledger.jsonl'), OPENING).current();
    const proposals = await new Journal(join(this.folder, 'proposals.jsonl'), {}).current();
    const all = KINDS.flatMap((kind) =>
      [...ledger.of(kind), ...proposals.of(kind)].map(([id, record]) => [`${kind} ${id}`, plain(record)]),
    );
    return Object.fromEntries(all);
  }

  /** What a person changes in the ledger. */
  async edit(kind: Kind, id: string, change: Partial<LedgerRecord>): Promise<void> {
    const before = (await new Journal(join(this.folder, 'ledger.jsonl'), OPENING).current()).of(kind).get(id) as LedgerRecord;
    const entry: Entry = { at_ms: Date.now(), kind, id, record: { ...before, ...change } };
    appendFileSync(join(this.folder, 'ledger.jsonl'), `${JSON.stringify(entry)}\n`);
  }

  /** For eval packs: cancelled records count as undone. */
  get counterpart(): Counterpart {
    return {
      prepare: async () => this.make(),
      clean: async () => this.remove(),
      settings: () => this.settings,
      snapshot: async () => Object.fromEntries(Object.entries(await this.records()).filter(([, { status }]) => status !== 'cancelled')),
    };
  }
}

function plain({ status, reference, fields }: LedgerRecord): LedgerRecord {
  return { status, reference: unmarked(reference), fields };
}
