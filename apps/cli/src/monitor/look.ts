import { readDecision } from '@countersign/evidence';
import { followEntries, type NoteVerifier, type Opening, openCheckpoint } from '@countersign/proofs';
import type { LogClient } from '../witness/log-client.js';
import { GivenUpRecords } from './given-up.js';
import type { Monitored, MonitorState } from './monitor-state.js';

export type Looked =
  | { kind: 'checked'; entries: number; openings: readonly Opening[]; at: Monitored }
  /** The log contradicts itself, or what this monitor has seen, or the tree of cases is not that of its records. */
  | { kind: 'alert'; reason: string };

const alert = (reason: string): Looked => ({ kind: 'alert', reason });

/**
 * Checks every entry after the last one seen, in order: each tree continues the one before, the records are those that were signed, and the
 * leaves of cases count them. The state moves only past pages in which nothing is wrong. @throws LogUnavailable, which is no alert
 */
export async function look(from: Monitored, client: LogClient, log: NoteVerifier, state: MonitorState): Promise<Looked> {
  const newest = openCheckpoint(await client.checkpoint(), log);
  if (!newest) return alert(`the checkpoint that the log serves is not signed by ${log.name}`);
  if (newest.size < from.log.size) return alert(`the log shrank: it had ${from.log.size} checkpoints and serves ${newest.size}`);
  const given_up = newest.size === from.log.size ? GivenUpRecords.none : await GivenUpRecords.at(client, newest, log);
  if (typeof given_up === 'string') return alert(given_up);
  const openings: Opening[] = [];
  let at = from.log;
  while (at.size < newest.size) {
    const page = await client.entries(at.size, newest.size);
    const followed = followEntries(at, page, { log, readDecision });
    if (followed.kind === 'refused') return alert(followed.reason);
    for (const entry of page.entries) {
      const wrong = await from.cases.entry(client, entry, given_up);
      if (wrong !== undefined) return alert(wrong);
    }
    openings.push(...followed.openings);
    at = followed.log;
    await state.save(at, followed.note, from.cases);
  }
  if (!at.root().equals(newest.root)) return alert(`the log forked: it serves two roots for checkpoint ${newest.size}`);
  return { kind: 'checked', entries: at.size - from.log.size, openings, at: { log: at, cases: from.cases } };
}
