import {
  CheckedEventLog,
  type DamageFinder,
  type DamageReport,
  ReadCheck,
  RecordJudge,
  RecordScan,
  SignedHeads,
} from '@countersign/evidence';
import type { AppDeps } from './app-deps.js';
import type { Evidence } from './evidence.js';

/** Compares records of this log with the newest signed head. */
function recordJudge(log: AppDeps['log'], { tiles, dropped, checkpoints, signer }: Evidence): RecordJudge {
  return new RecordJudge({ log, tiles, dropped }, new SignedHeads(checkpoints, tiles, signer.verifier));
}

/**
 * The log for readers whose records are compared with the signed heads. `close` ends the comparison and leaves the log open. Returns the
 * log itself if nothing is signed.
 */
export function checkedLog(
  { log, evidence, damage, logger }: Pick<AppDeps, 'log' | 'evidence' | 'damage' | 'logger'>,
  found_by: DamageFinder,
): CheckedEventLog | undefined {
  if (!evidence || !damage) return undefined;
  const faulty = (cause: Error) => {
    logger.warn(
      { event: 'comparison_failed', found_by, cause: cause.message },
      'records could not be compared while they were read; the scrubber compares them later',
    );
  };
  return new CheckedEventLog(log, new ReadCheck(recordJudge(log, evidence), damage, found_by, faulty), damage, found_by);
}

/** Reads and compares the signed records of this log, for a process that may write its tiles. */
export function recordScan(log: AppDeps['log'], evidence: Evidence, damage: DamageReport, found_by: DamageFinder): RecordScan {
  return new RecordScan({ log, ...evidence }, recordJudge(log, evidence), damage, found_by);
}
