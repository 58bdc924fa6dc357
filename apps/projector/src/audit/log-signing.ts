import type { EventLog } from '@countersign/event-log';
import { BrokenRecord } from '@countersign/evidence';
import type { Evidence, KnownDamage, Logger } from '@countersign/process';
import { CaseWriter } from './cases/case-writer.js';
import { CoveredLog } from './covered-log.js';
import { SigningRun } from './signing-run.js';
import type { StartCheck } from './start-check.js';

/** Dependencies of signing, and the checks that can stop it. */
export interface SigningParts {
  log: EventLog;
  evidence: Evidence;
  /** Compares the stored checkpoints before signing. Absent only in tests. */
  start?: Pick<StartCheck, 'run' | 'compare' | 'compareOlder'>;
  now_ms(): number;
  logger: Pick<Logger, 'warn'>;
  /** Known damage stops signing. */
  damage: Pick<KnownDamage, 'found' | 'holdsSigning' | 'openings'>;
}

/** Opens the signed log for a signing run, and reports what prevents signing. */
export class LogSigning {
  private isHeld = false;

  constructor(private readonly parts: SigningParts) {}

  /** Undefined if signing is not allowed now; the reason is logged. */
  async open(topics: () => Promise<readonly string[]>): Promise<SigningRun | undefined> {
    if (this.mustWait()) return undefined;
    try {
      return await this.takeUp(await topics());
    } catch (cause) {
      this.report(cause);
      return undefined;
    }
  }

  private async takeUp(topics: readonly string[]): Promise<SigningRun | undefined> {
    const { log, evidence, start, damage, now_ms } = this.parts;
    await start?.run();
    const { cases: topic, checkpoints } = evidence;
    const cases = topic && new CaseWriter({ log, topic, checkpoints, now_ms });
    const covered = await CoveredLog.open(log, evidence, damage.openings, cases);
    if (start && !(await start.compare(covered.opensCases))) return undefined;
    const run = new SigningRun(covered, damage, now_ms);
    await run.start(topics);
    // The entry that opens the tree of cases anew says where its cases begin.
    if (!covered.opensCases) cases?.start();
    cases?.failed.then((cause) => run.fail(cause));
    start?.compareOlder(() => run.isEnded).catch((cause) => run.fail(cause));
    return run;
  }

  /** True if damage that no operator has accepted prevents signing. */
  private mustWait(): boolean {
    const { damage, logger } = this.parts;
    if (damage.holdsSigning && !this.isHeld)
      logger.warn({ event: 'signing_held' }, 'the log differs from what was signed: signing pauses until an operator accepts the damage');
    this.isHeld = damage.holdsSigning;
    return this.isHeld;
  }

  /** Records damage; any other error is retried. */
  report(cause: unknown): void {
    const { damage, logger } = this.parts;
    if (!(cause instanceof BrokenRecord)) {
      logger.warn({ event: 'checkpoints_paused', cause: String(cause) }, 'checkpoints pause; retrying');
      return;
    }
    for (const { message: reason, place } of cause.each)
      damage.found({ kind: place ? 'log' : 'checkpoints', found_by: 'signer', ...place, reason });
  }
}
