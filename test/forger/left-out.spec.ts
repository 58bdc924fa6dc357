import { EventCodec, type Meta } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { type Bundle, verifyBundle } from '@countersign/evidence';
import { describe, expect, test } from 'vitest';
import { type Journal, journalNames, readJournal } from '../journals/journal-file.js';
import { EvidenceLog, evidenceSigner, withCauseHashes } from './evidence-log.js';
import { laterEffect, type Omission, omissions } from './left-out.js';
import { Random } from './random.js';

const SEEDS = Number(process.env.COUNTERSIGN_TEST_FORGER_SEEDS ?? 6);
const trust = { log: evidenceSigner.verifier, witnesses: [] };
const [name] = journalNames();
const recorded = readJournal(name as string);
const [earlier, log] = [new EvidenceLog(recorded), new EvidenceLog(withCauseHashes(recorded))];

const WORDS: Record<keyof typeof omissions, RegExp> = {
  ancestor: /the record that caused .* is missing: event /,
  vote: /vote .*is missing|the record that caused .* is missing/,
  revision: /ruling \d+ of \d+ is missing|is missing: event /,
  start: /a start before it is missing|is missing: event /,
  swapped: /stands after .*: the records are not in the order of the log/,
};

/** A forged bundle of a random call that has what it takes. */
async function forged(of: EvidenceLog, forge: Omission, seed: number): Promise<Bundle> {
  const random = new Random(seed);
  for (;;) {
    const attack = forge(await of.bundle(random.pick(of.call_ids)), random);
    if (attack) return attack;
  }
}

describe.each([
  ['an earlier release', earlier],
  ['this release', log],
] as const)('an honest server with a log of %s', (of, server) => {
  test('is never accused, and is said to prove completeness only with the hashes of causes', async () => {
    const random = new Random(7);
    for (let n = 0; n < 2 * SEEDS; n++) {
      const call_id = random.pick(server.call_ids);
      const verdict = verifyBundle(await server.bundle(call_id), trust);
      if (verdict.kind === 'refused') throw new Error(`${call_id}: ${verdict.reason}`);
      const { proven, unproven } = verdict.causes;
      expect([proven > 0, unproven > 0]).toEqual(of === 'this release' ? [true, false] : [false, true]);
    }
  });
});

const whats = Object.keys(omissions) as (keyof typeof omissions)[];

describe.each([...whats.map((what) => [what, log] as const), ...whats.slice(1).map((what) => [what, earlier] as const)])(
  'a server that leaves out or moves: %s',
  (what, server) => {
    test(`is refused, and the reason names it, ${server === log ? 'with' : 'without'} hashes of causes`, async () => {
      for (let seed = 0; seed < SEEDS; seed++) {
        const verdict = verifyBundle(await forged(server, omissions[what], seed), trust);
        expect([seed, verdict.kind, verdict.kind === 'refused' ? verdict.reason : '']).toEqual([
          seed,
          'refused',
          expect.stringMatching(WORDS[what]),
        ]);
      }
    });
  },
);

test('a later effect that is left out is refused where others follow from it, else the call is named as one without an end', async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const bundle = await forged(log, laterEffect, seed);
    const verdict = verifyBundle(bundle, trust);
    if (verdict.kind === 'verified') expect(verdict.open).toEqual(bundle.calls.map(({ call_id }) => call_id));
    else expect(verdict.reason).toMatch(/is missing/);
  }
});

/** The journal with another meta in one event, at its old place. */
function rewritten(journal: Journal, at: PlacedEvent, more: Partial<Meta>): Journal {
  const event = { ...at.event, meta: { ...at.event.meta, ...more } };
  const value = new EventCodec().encode(at.event_type, event as never);
  const records = journal.records.map((record) =>
    record.topic === at.topic && record.partition === at.partition && record.offset === at.offset ? { ...record, value } : record,
  );
  return { ...journal, records };
}

describe('a changed cause', () => {
  const end = log.events.find((at) => at.event_type === 'tool_executed') as PlacedEvent;
  const call_id = end.event.meta.call_id as string;
  const elsewhere = log.events.find((at) => at.event.meta.call_id !== call_id && at.event.meta.cause_hash != null) as PlacedEvent;

  test('changes the leaf of its record, so that its proof fails', async () => {
    const bundle = await log.bundle(call_id);
    const other = await new EvidenceLog(rewritten(log.journal, end, { cause_hash: elsewhere.event.meta.cause_hash ?? null })).bundle(
      call_id,
    );
    const verdict = verifyBundle(
      {
        ...other,
        records: other.records.map((record, at) => ({ ...record, proof: bundle.records[at]?.proof as never })),
        checkpoint: bundle.checkpoint,
      },
      trust,
    );
    expect(verdict).toMatchObject({
      kind: 'refused',
      step: 'records',
      reason: expect.stringContaining('differs from what the checkpoint covers'),
    });
  });

  test.each([
    [
      'to a record that is not there',
      { cause_hash: Buffer.alloc(32, 1).toString('base64') },
      /the record that caused tool_executed .* is missing/,
    ],
    ['to a text that is no hash', { cause_hash: 'AAAA' }, /names its cause by a text that is no hash/],
    ['to another event', { causation_id: elsewhere.event.meta.event_id }, /which is another event/],
    ['to a later time than its effect', { hlc: 1 }, /has the logical time 1, and its cause .*: a cause is earlier/],
  ])('%s, and signed again by the owner, is named', async (_, more, words) => {
    const verdict = verifyBundle(await new EvidenceLog(rewritten(log.journal, end, more)).bundle(call_id), trust);
    expect(verdict).toMatchObject({ kind: 'refused', step: 'causes', reason: expect.stringMatching(words) });
  });
});
