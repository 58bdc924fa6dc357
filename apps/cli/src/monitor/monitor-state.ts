import path from 'node:path';
import { type CoveredHeads, coveredHeads, HeadsLog, type NoteVerifier, openHeads } from '@countersign/proofs';
import { readText, WitnessFault, writeSynced } from '../witness/synced-file.js';
import { CaseMonitor, type StoredCases } from './case-monitor.js';

interface Stored {
  format: 'countersign-monitor/v1';
  covered: CoveredHeads;
  cases: StoredCases;
}

/** Up to where a monitor has checked the log. */
export interface Monitored {
  log: HeadsLog;
  cases: CaseMonitor;
}

/** The state of a monitor: one file in its folder, replaced after each page of entries. */
export class MonitorState {
  private readonly file: string;

  constructor(
    dir: string,
    private readonly log: NoteVerifier,
  ) {
    this.file = path.join(dir, 'monitor.json');
  }

  /** @throws WitnessFault if the file is of another log, or cannot be read */
  async read(): Promise<Monitored> {
    const text = await readText(this.file);
    if (text === undefined) return { log: HeadsLog.empty(), cases: new CaseMonitor() };
    try {
      const { format, covered, cases } = JSON.parse(text) as Stored;
      if (format !== 'countersign-monitor/v1') throw new Error(`the format is ${String(format).slice(0, 80)}`);
      const opened = openHeads(covered, this.log);
      if (opened.kind === 'refused') throw new Error(opened.reason);
      return { log: opened.log, cases: new CaseMonitor(cases) };
    } catch (cause) {
      throw new WitnessFault(`${this.file} is not the state of a monitor of ${this.log.name}: ${(cause as Error).message}`);
    }
  }

  save(log: HeadsLog, note: string, cases: CaseMonitor): Promise<void> {
    const stored: Stored = { format: 'countersign-monitor/v1', covered: coveredHeads(log, note), cases: cases.toStore() };
    return writeSynced(this.file, JSON.stringify(stored));
  }
}
