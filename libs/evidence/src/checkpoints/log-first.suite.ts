import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EventCodec, firstMeta } from '@countersign/contracts';
import type { EventLog, SchemaSource } from '@countersign/event-log';
import { consistencyProof, isConsistent, noteSigner, openCheckpoint, signCheckpoint, subtreesOf } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StepSigner } from '../testing/step-signer.js';
import { BrokenRecord } from '../trees/broken-record.js';
import { TileFolder } from '../trees/tile-folder.js';
import { CHECKPOINTS_TREE } from '../trees/tiles.js';
import { CheckpointClaim } from './checkpoint-claim.js';
import type { CheckpointRecord, CheckpointStore } from './checkpoint-store.js';
import { CHECKPOINT_TOPIC, CheckpointTopic, textOf } from './checkpoint-topic.js';
import type { KeptText } from './kept-text.js';
import { LogFirstCheckpoints } from './log-first-checkpoints.js';
import { RestoredCheckpoints } from './restored-checkpoints.js';

const RECORDS = 'tool-executed';
const START_MS = 1_790_000_000_000;
const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));

/** A log, and a store that may be lost independently. */
export interface LogFirstRig {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource;
  /** Opens the store, like another process. */
  kept(): CheckpointStore;
  checked(): KeptText;
  /** Present if several processes may sign. */
  claimed?(): KeptText;
  /** Loses the store, with mark and claim. */
  lose(): Promise<void>;
  close(): Promise<void>;
}

async function all(records: AsyncIterable<CheckpointRecord>): Promise<CheckpointRecord[]> {
  const found: CheckpointRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

export function describeLogFirst(name: string, open: () => Promise<LogFirstRig>, timeout_ms = 60_000): void {
  describe(`checkpoints on the log, ${name}`, () => {
    let rig: LogFirstRig;
    let dir: string;
    let serial = 0;
    beforeEach(async () => {
      dir = await mkdtemp(path.join(tmpdir(), 'log-first-'));
      rig = await open();
      await rig.log.ensureTopics([RECORDS, CHECKPOINT_TOPIC].map((topic) => ({ name: topic, partitions: 1 })));
    }, timeout_ms);
    afterEach(async () => {
      await rig.close();
      await rm(dir, { recursive: true, force: true });
    }, timeout_ms);

    const tiles = () => new TileFolder(path.join(dir, 'trees'));
    const topic = () => new CheckpointTopic(rig.log, rig.codec, rig.schemas);
    const claim = () => (rig.claimed ? new CheckpointClaim(rig.claimed()) : undefined);
    const logFirst = (kept = rig.kept(), onLog = topic()) => new LogFirstCheckpoints(kept, onLog, claim());
    const restore = () => new RestoredCheckpoints(logFirst(), tiles(), signer.verifier).restore();
    const signing = (checkpoints: CheckpointStore = logFirst()) =>
      StepSigner.open({ log: rig.log, checkpoints, tiles: tiles(), signer, checked: rig.checked() }, [RECORDS]);
    const append = (count: number) =>
      rig.log.append(
        Array.from({ length: count }, () => ({
          topic: RECORDS,
          partition: 0,
          key: null,
          value: Buffer.from(`value ${serial++}`),
          headers: { event_type: 'tool_executed' },
        })),
      );
    async function sign(count: number, checkpoints?: CheckpointStore): Promise<void> {
      const signed = await signing(checkpoints);
      for (let n = 0; n < count; n++) {
        await append(2);
        expect(await signed.sign(START_MS + serial)).toBe('kept');
      }
    }
    const onLog = () => all(topic().entries(0));
    const kept = () => all(rig.kept().records());
    const texts = (records: readonly CheckpointRecord[]) => records.map(textOf);

    async function leadsTo(older: CheckpointRecord, newer: CheckpointRecord): Promise<boolean> {
      const [first, second] = [older, newer].map(({ note }) => openCheckpoint(note, signer.verifier)) as [never, never];
      const subtrees = subtreesOf((level, index) => tiles().read(CHECKPOINTS_TREE, level, index));
      return isConsistent(first, second, await consistencyProof(subtrees, older.number + 1, newer.number + 1));
    }

    test(
      'are all restored after the store is lost, and the next signed checkpoint continues them',
      async () => {
        await sign(190);
        const before = await kept();
        expect(before).toHaveLength(190);
        await rig.lose();
        await rm(path.join(dir, 'trees'), { recursive: true });
        expect(await kept()).toEqual([]);
        expect(await restore()).toEqual({ restored: 190, copied: 0, topic_was_empty: false });
        expect(texts(await kept())).toEqual(texts(before));
        expect(await (await signing()).sign(START_MS)).toBe('nothing_new');
        await sign(3);
        const after = await kept();
        expect(texts(after.slice(0, 190))).toEqual(texts(before));
        expect(texts(await onLog())).toEqual(texts(after));
        for (const older of before)
          expect([older.number, await leadsTo(older, after.at(-1) as CheckpointRecord)]).toEqual([older.number, true]);
      },
      timeout_ms,
    );

    test(
      'are not lost in a crash between the log and the store, and no number is written twice',
      async () => {
        await sign(3);
        const failing = (at: 'log' | 'store') => {
          const store = rig.kept();
          const onTopic = topic();
          if (at === 'log') onTopic.append = () => Promise.reject(new Error('crash'));
          else store.append = () => Promise.reject(new Error('crash'));
          return logFirst(store, onTopic);
        };
        for (const at of ['log', 'store', 'log', 'log', 'store'] as const) {
          await expect(sign(1, failing(at))).rejects.toThrow('crash');
          await restore();
          await sign(1);
        }
        const numbers = (await onLog()).map(({ number }) => number);
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at));
        expect(numbers.length).toBeGreaterThanOrEqual(3 + 2 + 5);
        expect(texts(await kept())).toEqual(texts(await onLog()));
      },
      timeout_ms,
    );

    test(
      'are copied from the store to the topic, after an upgrade from an earlier release or a cut of the topic',
      async () => {
        await sign(5, rig.kept());
        expect(await onLog()).toEqual([]);
        expect(await restore()).toEqual({ restored: 0, copied: 5, topic_was_empty: true });
        await sign(1);
        await sign(450, rig.kept());
        expect(await restore()).toEqual({ restored: 0, copied: 450, topic_was_empty: false });
        expect(await restore()).toEqual({ restored: 0, copied: 0, topic_was_empty: false });
        expect(texts(await onLog())).toEqual(texts(await kept()));
      },
      timeout_ms,
    );

    test(
      'count once if they are on the log twice, also much later',
      async () => {
        await sign(4);
        await topic().append((await kept()).slice(2, 4));
        await sign(2);
        await topic().append((await kept()).slice(1, 3));
        expect(await topic().size()).toBe(6);
        expect(texts(await onLog())).toEqual(texts(await kept()));
        await rig.lose();
        expect(await restore()).toMatchObject({ restored: 6 });
        expect(texts(await kept())).toEqual(texts(await onLog()));
      },
      timeout_ms,
    );

    test(
      'are compared at a start, which finds differences and entries missing from both',
      async () => {
        await sign(6);
        const [, second, third] = (await kept()) as [CheckpointRecord, CheckpointRecord, CheckpointRecord];
        await rig.lose();
        await rig.kept().append({ ...((await onLog())[0] as CheckpointRecord) });
        await rig.kept().append({ ...second, time_ms: second.time_ms + 1 });
        await expect(restore()).rejects.toThrow(`checkpoint 2 in the store differs from the one on ${CHECKPOINT_TOPIC}`);
        await rig.lose();
        expect(await restore()).toMatchObject({ restored: 6 });
        await rig.checked().replace(await rig.checked().read(), JSON.stringify({ size: 8, note: 'was signed' }));
        await expect(signing()).rejects.toThrow('checkpoint 8 was signed and is no longer kept');
        await topic().append([{ ...third, number: 7 }]);
        await expect(restore()).rejects.toThrow('has no checkpoint 7: 8 is in its place');
        await expect(restore()).rejects.toThrow(BrokenRecord);
      },
      timeout_ms,
    );

    test.each([
      [
        'is signed by another key',
        (next: CheckpointRecord, size: number) => ({ ...next, number: size, full: false, heads: [], note: forged(size + 1) }),
        'differs from what its note signs',
      ],
      ['takes a tree back', (next: CheckpointRecord, size: number) => ({ ...next, number: size }), 'went back'],
      ['is another one with the same number', (next: CheckpointRecord, size: number) => ({ ...next, number: size - 1 }), 'differ'],
    ])(
      'an entry on the log that %s is not restored',
      async (_, forge, reason) => {
        await sign(3);
        const [first] = await kept();
        await topic().append([forge(first as CheckpointRecord, 3)]);
        await expect(restore()).rejects.toThrow(reason);
        expect(await kept()).toHaveLength(3);
      },
      timeout_ms,
    );

    const forged = (size: number) =>
      signCheckpoint({ size, root: Buffer.alloc(32, 9) }, noteSigner('countersign.test/log', Buffer.alloc(32, 2)));

    test(
      'are refused if their decisions are unreadable',
      async () => {
        await sign(2);
        const [first] = (await kept()) as [CheckpointRecord];
        const { time_ms, trees, heads_root, note } = first;
        const entry = {
          meta: firstMeta('default', time_ms),
          number: 2,
          time_ms,
          trees,
          heads_root,
          full: false,
          heads: [],
          note,
          cut: null,
          cut_is_open: false,
        };
        const value = rig.codec.encode('checkpoint_signed', { ...entry, decisions: '[' });
        await rig.log.append([{ topic: CHECKPOINT_TOPIC, partition: 0, key: null, value, headers: { event_type: 'checkpoint_signed' } }]);
        await expect(restore()).rejects.toThrow('has decisions of checkpoint 3 that cannot be read');
        await expect(restore()).rejects.toThrow(BrokenRecord);
      },
      timeout_ms,
    );

    test(
      'a record that is not a checkpoint is detected',
      async () => {
        await sign(2);
        await rig.log.append([{ topic: CHECKPOINT_TOPIC, partition: 0, key: null, value: Buffer.from('x'), headers: {} }]);
        await expect(restore()).rejects.toThrow(`${CHECKPOINT_TOPIC} offset 2 is not a checkpoint`);
      },
      timeout_ms,
    );

    test(
      'with two concurrent signers are each written by one, and are equal on the log and in the store',
      async () => {
        if (!rig.claimed) {
          // One process owns the store: no race is possible.
          expect(claim()).toBeUndefined();
          return;
        }
        await append(1);
        const one = async () => {
          for (let n = 0; n < 40; n++) {
            await append(1);
            await signing()
              .then((signed) => signed.sign(START_MS + serial))
              .catch((cause: Error) => {
                if (cause instanceof BrokenRecord) throw cause;
              });
          }
        };
        await Promise.all([one(), one()]);
        const stored = await kept();
        expect(stored.length).toBeGreaterThan(20);
        expect(texts(await onLog())).toEqual(texts(stored));
        expect(await restore()).toMatchObject({ restored: 0, copied: 0 });
      },
      timeout_ms,
    );

    test(
      'a claim is completed by any signer that finds it, and a claim with a later number shows that checkpoints were cut',
      async () => {
        if (!rig.claimed) {
          expect(claim()).toBeUndefined();
          return;
        }
        await sign(3);
        const [claimed] = (await kept()).slice(-1) as [CheckpointRecord];
        const dead = topic();
        dead.append = () => Promise.reject(new Error('died'));
        await expect(sign(1, logFirst(rig.kept(), dead))).rejects.toThrow('died');
        const left = (await new CheckpointClaim(rig.claimed()).last()) as CheckpointRecord;
        expect(left.number).toBe(3);
        expect(await logFirst().append({ ...claimed, number: 3 })).toBe('taken');
        expect(textOf((await kept())[3] as CheckpointRecord)).toBe(textOf(left));
        await rig.claimed().replace(await rig.claimed().read(), JSON.stringify({ ...claimed, number: 9 }));
        await expect(restore()).rejects.toThrow('checkpoint 10 was about to be signed, and only 4 exist: checkpoints were deleted');
      },
      timeout_ms,
    );
  });
}
