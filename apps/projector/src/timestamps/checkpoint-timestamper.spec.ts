import type { TimestampedCheckpoint } from '@countersign/evidence';
import { noteSigner, signCheckpoint } from '@countersign/proofs';
import type { StampAnswer } from '@countersign/timestamps';
import { describe, expect, test } from 'vitest';
import { CheckpointTimestamper, type TimestampedEvidence } from './checkpoint-timestamper.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 1));
const note = (number: number) => signCheckpoint({ size: number + 1, root: Buffer.alloc(32, 3) }, signer);
const EVERY_MS = 60_000;

/** A log whose newest checkpoints are set by the test. */
class Log {
  newest: number | undefined;
  cosigned: number | undefined;
  checksHeads = false;
  isOwner = true;
  answer: StampAnswer = { kind: 'stamped', token: Buffer.from('token'), time_ms: 5 };
  readonly requested: string[] = [];
  readonly kept: TimestampedCheckpoint[] = [];
  readonly warnings: unknown[] = [];

  readonly timestamper = new CheckpointTimestamper(
    {
      stamp: async (bytes) => {
        this.requested.push(Buffer.from(bytes).toString());
        return this.answer;
      },
    },
    this.evidence(),
    {
      owner: this,
      every_ms: EVERY_MS,
      clock: { now_ms: () => 0, monotonic_ms: () => 0 },
      logger: { warn: (fields: unknown) => void this.warnings.push(fields) } as never,
    },
  );

  private evidence(): TimestampedEvidence {
    const log = this;
    const at = (number: number | undefined) => (number === undefined ? undefined : { number, note: note(number) });
    return {
      signer,
      checkpoints: { newest: async () => (log.newest === undefined ? undefined : { record: at(log.newest), heads: new Map() }) } as never,
      cosigned: {
        get checksHeads() {
          return log.checksHeads;
        },
        verified: async () => at(log.cosigned),
      } as never,
      timestamps: {
        newest: async () => log.kept.at(-1),
        covering: async () => undefined,
        add: async (stamped) => void log.kept.push(stamped),
      },
    };
  }
}

describe('timestamps of checkpoints', () => {
  test('are requested for the newest checkpoint only, once, and never for those before it', async () => {
    const log = new Log();
    expect([await log.timestamper.look(), log.requested]).toEqual([1_000, []]);
    log.newest = 7;
    expect(await log.timestamper.look()).toBe(EVERY_MS);
    expect(log.kept).toEqual([{ number: 7, note: note(7), token: Buffer.from('token').toString('base64'), time_ms: 5 }]);
    expect([await log.timestamper.look(), log.requested]).toEqual([1_000, [note(7)]]);
    log.newest = 900;
    await log.timestamper.look();
    expect(log.kept.map(({ number }) => number)).toEqual([7, 900]);
  });

  test('are of cosigned checkpoints where a witness checks heads', async () => {
    const log = new Log();
    log.newest = 9;
    log.checksHeads = true;
    expect([await log.timestamper.look(), log.requested]).toEqual([1_000, []]);
    log.cosigned = 4;
    await log.timestamper.look();
    expect(log.kept.map(({ number }) => number)).toEqual([4]);
  });

  test('are requested by the signer only', async () => {
    const log = new Log();
    log.newest = 1;
    log.isOwner = false;
    expect([await log.timestamper.look(), log.requested]).toEqual([1_000, []]);
  });

  test('are tried again ever later while the authority fails, with a warning each time, and nothing is kept', async () => {
    const log = new Log();
    log.newest = 1;
    log.answer = { kind: 'failed', reason: 'unavailable' };
    const pauses = [];
    for (let n = 0; n < 9; n++) pauses.push(await log.timestamper.look());
    expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
    expect([log.kept, log.warnings.length, log.warnings[0]]).toEqual([
      [],
      9,
      { event: 'timestamp_failed', cause: 'unavailable', retry_ms: 5_000 },
    ]);
    log.answer = { kind: 'stamped', token: Buffer.from('token'), time_ms: 5 };
    log.newest = 50;
    expect([await log.timestamper.look(), log.kept.map(({ number }) => number)]).toEqual([EVERY_MS, [50]]);
    log.answer = { kind: 'failed', reason: 'unavailable' };
    log.newest = 51;
    expect(await log.timestamper.look()).toBe(5_000);
  });
});
