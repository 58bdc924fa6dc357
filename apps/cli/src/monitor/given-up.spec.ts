import { coveredHeads, HeadsLog, noteSigner, openCheckpoint, signCheckpoint, type TreeHead } from '@countersign/proofs';
import { describe, expect, test } from 'vitest';
import { GivenUpRecords } from './given-up.js';

const signer = noteSigner('countersign.test/log', Buffer.alloc(32, 1));
const place = { topic: 'tool-executed', partition: 0 };
const frozen: TreeHead = { ...place, size: 9, root: Buffer.alloc(32, 2) };
const next: TreeHead = {
  ...place,
  size: 4,
  root: Buffer.alloc(32, 3),
  generation: { number: 2, base_offset: 6, decision: '0199d2d0-0000-7000-8000-000000000001' },
};
const other: TreeHead = { ...place, partition: 1, size: 5, root: Buffer.alloc(32, 4) };

/** A log with one entry over these heads, as it serves them, and its checkpoint. */
function served(heads: readonly TreeHead[]) {
  const log = HeadsLog.empty();
  log.appendHeads(1, heads, { number: 1, state: 'closed' });
  const note = signCheckpoint({ size: log.size, root: log.root() }, signer);
  const newest = openCheckpoint(note, signer.verifier) as NonNullable<ReturnType<typeof openCheckpoint>>;
  return { client: { heads: async () => coveredHeads(log, note) }, newest };
}

describe('the records that were given up', () => {
  test('are those of a frozen tree from the base of its next generation on', async () => {
    const { client, newest } = served([frozen, next, other]);
    const given_up = (await GivenUpRecords.at(client, newest, signer.verifier)) as GivenUpRecords;
    expect([frozen, next, other].map((head) => given_up.from(head))).toEqual([6, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  test('are not taken from heads that the newest checkpoint does not sign', async () => {
    const { newest } = served([frozen, other]);
    const { client } = served([frozen, next, other]);
    expect(await GivenUpRecords.at(client, newest, signer.verifier)).toBe('the heads that the log serves are not those of checkpoint 1');
    const honest = await served([frozen, other]).client.heads();
    const invented = { heads: async () => ({ ...honest, heads: (await client.heads()).heads }) };
    expect(await GivenUpRecords.at(invented, newest, signer.verifier)).toContain('differ from what checkpoint 1 signs');
  });
});
