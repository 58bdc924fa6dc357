import { randomBytes } from 'node:crypto';
import path from 'node:path';
import {
  COSIGNATURE_V1,
  type CoveredHeads,
  coveredHeads,
  type HeadsLog,
  type NoteSigner,
  type NoteVerifier,
  noteSigner,
  openCheckpoint,
  openHeads,
  type Passed,
} from '@countersign/proofs';
import { AcceptedOpenings } from './accepted-openings.js';
import { nothingSeen, type Seen } from './follow-log.js';
import { readText, WitnessFault, writeSynced } from './synced-file.js';

/** The witness's key: created at first use (mode 0600), never replaced. @throws WitnessFault if the file is damaged. */
export async function witnessKey(file: string, name: string): Promise<NoteSigner> {
  const known = await readText(file);
  if (known === undefined) {
    await writeSynced(file, `${JSON.stringify({ name, seed: randomBytes(32).toString('base64') })}\n`);
    return witnessKey(file, name);
  }
  try {
    const { name: own, seed } = JSON.parse(known) as { name: string; seed: string };
    return noteSigner(own, Buffer.from(seed, 'base64'), COSIGNATURE_V1);
  } catch {
    throw new WitnessFault(`the key file ${file} is damaged: restore it from a backup`);
  }
}

/** The checked state of a witness, synced to disk before its cosignature is sent. */
export class WitnessState {
  private readonly file: string;
  /** State of earlier releases: the note that was cosigned last, without its heads. */
  private readonly earlier: string;
  readonly openings: AcceptedOpenings;

  constructor(
    dir: string,
    private readonly log: NoteVerifier,
  ) {
    const name = `seen-${log.key_hash.toString(16).padStart(8, '0')}`;
    this.file = path.join(dir, `${name}.json`);
    this.earlier = path.join(dir, `${name}.note`);
    this.openings = new AcceptedOpenings(dir, log);
  }

  /** @throws WitnessFault if the stored state is damaged, or belongs to another log */
  async seen(): Promise<Seen> {
    const passed = await this.passed();
    const accepts = await this.openings.accepts();
    const text = await readText(this.file);
    if (text === undefined) return { ...nothingSeen(passed), accepts };
    const opened = openHeads(parsed(text), this.log);
    if (opened.kind === 'followed') return { log: opened.log, note: opened.note, passed, accepts };
    throw new WitnessFault(
      `the state ${this.file} cannot be used: ${opened.reason}. Restore it from a backup, or delete it to check the log from its first entry`,
    );
  }

  private async passed(): Promise<Passed | undefined> {
    const note = await readText(this.earlier);
    if (note === undefined) return undefined;
    const checkpoint = openCheckpoint(note, this.log);
    if (!checkpoint) throw new WitnessFault('the state of this witness belongs to another log: use a separate --dir for each log');
    return { size: checkpoint.size, root: checkpoint.root };
  }

  save(log: HeadsLog, note: string): Promise<void> {
    return writeSynced(this.file, JSON.stringify(coveredHeads(log, note)));
  }
}

function parsed(text: string): CoveredHeads {
  try {
    return JSON.parse(text) as CoveredHeads;
  } catch {
    throw new WitnessFault(
      'the state of this witness is damaged: restore it from a backup, or delete it to check the log from its first entry',
    );
  }
}
