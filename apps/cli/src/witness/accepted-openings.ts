import path from 'node:path';
import { baseOf, headName, type NoteVerifier, type Opening } from '@countersign/proofs';
import { openingLines } from '../text/openings-text.js';
import { readText, WitnessFault, writeSynced } from './synced-file.js';

/** An opening as the operator of a witness accepts it: exactly these two trees, under this decision. */
interface AcceptedOpening {
  decision: string;
  frozen: string;
  frozen_size: number;
  frozen_root: string;
  opened: string;
  base_offset: number;
  /** The text of the decision, for people. */
  said: string[];
}

interface Kept {
  waiting: AcceptedOpening[];
  accepted: (AcceptedOpening & { reason: string; accepted_at: string })[];
}

function termsOf(opening: Opening): AcceptedOpening {
  const { frozen, opened, decision } = opening;
  return {
    decision: decision.event_id,
    frozen: headName(frozen),
    frozen_size: frozen.size,
    frozen_root: frozen.root.toString('base64'),
    opened: headName(opened),
    base_offset: baseOf(opened),
    said: openingLines(opening),
  };
}

const idOf = ({ decision, frozen, frozen_size, frozen_root, opened, base_offset }: AcceptedOpening): string =>
  JSON.stringify([decision, frozen, frozen_size, frozen_root, opened, base_offset]);

/** The decisions of a witness's operator about frozen and reopened trees, and the openings that wait for one. */
export class AcceptedOpenings {
  private readonly file: string;

  constructor(dir: string, log: NoteVerifier) {
    this.file = path.join(dir, `openings-${log.key_hash.toString(16).padStart(8, '0')}.json`);
  }

  /** @throws WitnessFault */
  async accepts(): Promise<(opening: Opening) => boolean> {
    const accepted = new Set((await this.kept()).accepted.map(idOf));
    return (opening) => accepted.has(idOf(termsOf(opening)));
  }

  /** Stores openings that wait for the operator. @throws WitnessFault */
  async wait(openings: readonly Opening[]): Promise<void> {
    const { accepted } = await this.kept();
    await this.keep({ accepted, waiting: openings.map(termsOf) });
  }

  /** The waiting openings. @throws WitnessFault */
  async waiting(): Promise<{ decision: string; said: string[] }[]> {
    return (await this.kept()).waiting;
  }

  /** Accepts all openings that wait under a decision; returns their text. Empty if none wait. @throws WitnessFault */
  async accept(decision: string, reason: string, now_ms: number): Promise<string[]> {
    const { waiting, accepted } = await this.kept();
    const decided = waiting.filter((opening) => opening.decision === decision);
    const accepted_at = new Date(now_ms).toISOString();
    if (decided.length === 0) return [];
    await this.keep({
      waiting: waiting.filter((opening) => opening.decision !== decision),
      accepted: [...accepted, ...decided.map((opening) => ({ ...opening, reason, accepted_at }))],
    });
    return decided.flatMap(({ said }) => said);
  }

  private async kept(): Promise<Kept> {
    const text = await readText(this.file);
    try {
      return text === undefined ? { waiting: [], accepted: [] } : (JSON.parse(text) as Kept);
    } catch {
      throw new WitnessFault(
        `${this.file} is damaged: restore it from a backup, or delete it and accept again each decision at which the witness stops`,
      );
    }
  }

  private keep(kept: Kept): Promise<void> {
    return writeSynced(this.file, `${JSON.stringify(kept, null, 2)}\n`);
  }
}
