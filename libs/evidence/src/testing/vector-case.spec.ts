import { nodeHashing } from '@countersign/proofs';
import { publishedPage, vectorsOf, withVectors } from '@countersign/proofs/testing/published-vector';
import { smallLogSigner } from '@countersign/proofs/testing/small-log';
import { type Bundle, EventDecoder, verifyBundle } from '@countersign/verifier';
import { describe, expect, test } from 'vitest';
import { vectorCase } from './vector-case.js';
import { vectorSchemas } from './vector-events.js';

const computed = await vectorCase();
const published = vectorsOf(publishedPage());

/** Our verifier with the schemas of the vectors. */
const verdict = (bundle: Bundle) =>
  verifyBundle(bundle, { log: smallLogSigner.verifier, witnesses: [] }, { hashing: nodeHashing, decoder: new EventDecoder(vectorSchemas) });

function isVerified(text: string): boolean {
  try {
    return verdict(JSON.parse(text) as Bundle).kind === 'verified';
  } catch {
    return false;
  }
}

describe('the log with a case in docs/reference/proofs.md', () => {
  test('is shown as it is computed: npm run docs writes it', () => {
    const shown = Object.fromEntries(Object.keys(computed).map((name) => [name, published.get(name)]));
    expect(shown).toEqual(JSON.parse(JSON.stringify(computed)));
    expect(withVectors(publishedPage(), computed)).toBe(publishedPage());
  });

  test('has a bundle that our verifier accepts, complete up to its cut, with one record outside', () => {
    const bundle = published.get('bundle') as Bundle;
    expect(verdict(bundle)).toMatchObject({
      kind: 'verified',
      records: 4,
      causes: { proven: 3, unproven: 0 },
      case: { case_id: 'case-7', entry: 2, cut: 2, records: 5, outside: 1, uncounted: 0 },
    });
  });

  test('has closed and open cuts, and causes by hash', () => {
    expect(computed.case_entries.map(({ cut }) => `${cut?.number} ${cut?.state}`)).toEqual(['1 closed', '2 open', '2 closed', '3 closed']);
    const { records, calls } = computed.bundle;
    const metas = records.map(({ event }) => (event as { meta: { cause_hash: string | null } }).meta);
    const hashes = new Set(computed.case_records.map(({ hash }) => hash));
    expect(metas.map(({ cause_hash }) => cause_hash !== null && hashes.has(cause_hash))).toEqual([false, true, true, true]);
    expect(calls[0]?.status).toBe('succeeded');
  });

  test('refuses the bundle without a record, with another step, or with another leaf', () => {
    const bundle = published.get('bundle') as Bundle;
    const of = bundle.case as NonNullable<Bundle['case']>;
    const edits: [string, Partial<Bundle>][] = [
      [
        'causes',
        {
          records: bundle.records.filter(({ event_type }) => event_type !== 'policy_decided'),
          calls: bundle.calls.map((call) => ({ ...call, rulings: [] })),
        },
      ],
      ['case', { case: { ...of, steps: of.steps.slice(1) } }],
      ['case', { case: { ...of, leaf: { ...of.leaf, offset: 1 } } }],
      ['case', { case: { ...of, steps: of.steps.map((step) => ({ ...step, records: [...step.records].reverse() })) } }],
    ];
    for (const [step, edit] of edits) expect(verdict({ ...bundle, ...edit })).toMatchObject({ kind: 'refused', step });
  });

  // Every place was tried once by hand, 2026-11-27: 10,516 edits.
  test('refuses the bundle after a change of one character, from the calls shown to the end', () => {
    const whole = JSON.stringify(published.get('bundle'));
    const accepted: string[] = [];
    for (let at = whole.indexOf('"calls":'); at < whole.length; at += 5) {
      const edited = `${whole.slice(0, at)}${whole[at] === '1' ? '2' : '1'}${whole.slice(at + 1)}`;
      if (isVerified(edited)) accepted.push(`${at}: ${edited.slice(at - 40, at + 40)}`);
    }
    expect(accepted).toEqual([]);
    expect(isVerified(whole)).toBe(true);
  });
});
