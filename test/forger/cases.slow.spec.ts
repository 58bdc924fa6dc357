import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { look } from '@countersign/cli/monitor/look';
import { MonitorState } from '@countersign/cli/monitor/monitor-state';
import type { LogClient } from '@countersign/cli/witness/log-client';
import type { NewCaseLeaf } from '@countersign/evidence';
import { noteSigner } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caseLog, type LeafLie, servedLeaves } from './case-log.js';
import { History } from './history.js';
import { Random } from './random.js';

const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));
const log = signer.verifier;
const SEEDS = Number(process.env.COUNTERSIGN_TEST_FORGER_SEEDS ?? 3);
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'case-forger-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What a monitor of a tenant says of a log, looking at several sizes of it and starting again in between. */
async function monitored(history: History, tenant_id: string, random: Random, name: string): Promise<string> {
  const state = new MonitorState(path.join(dir, name), log);
  const leaves = servedLeaves(history.claims, tenant_id);
  let at = await state.read();
  for (let size = random.between(1, history.size); ; size = random.between(size, history.size)) {
    const client = {
      checkpoint: async () => history.note(size),
      entries: (first: number, second: number) => history.entriesUpTo(first, second),
      heads: (at_size: number) => history.heads(at_size),
      leaves,
    } as unknown as LogClient;
    const looked = await look(at, client, log, state);
    if (looked.kind === 'alert') return looked.reason;
    if (size === history.size) return 'checked';
    at = random.below(4) === 0 ? await state.read() : looked.at;
  }
}

const own = (leaves: readonly NewCaseLeaf[], random: Random) => random.pick([...leaves.keys()]);

/** Changes one leaf of the entry, if it has any. */
const change =
  (lie: (leaf: NewCaseLeaf) => NewCaseLeaf | undefined): LeafLie =>
  (leaves, random) => {
    const at = leaves.length === 0 ? -1 : own(leaves, random);
    return leaves.flatMap((leaf, n) => (n === at ? (lie(leaf) ?? []) : leaf));
  };

const lies: Record<string, LeafLie> = {
  'a lowered count': change((leaf) => ({ ...leaf, records: leaf.records - 1 })),
  'a lowered number of added records': change((leaf) => ({ ...leaf, added: leaf.added - 1, records: leaf.records - 1 })),
  'the hash of other records': change((leaf) => ({ ...leaf, hash: Buffer.alloc(32, 3).toString('base64') })),
  'another cut': change((leaf) => ({ ...leaf, cut: leaf.cut + 1 })),
  'another entry': change((leaf) => ({ ...leaf, entry: leaf.entry - 1 })),
  'another predecessor': change((leaf) => ({ ...leaf, previous: (leaf.previous ?? 0) + 1 })),
  'another case': change((leaf) => ({ ...leaf, case_id: `${leaf.case_id}-other` })),
  'no leaf': change(() => undefined),
  'a leaf for a case that is not touched': (leaves) => leaves.flatMap((leaf) => [leaf, { ...leaf, case_id: 'invented', previous: null }]),
};

describe('a signer that lies about the leaves of an entry', () => {
  test.each(Object.entries(lies))('%s: a monitor of the tenant alerts', async (name, lie) => {
    let forged = 0;
    for (let seed = 0; seed < SEEDS * 3; seed++) {
      const { claims, isForged } = await caseLog(seed, lie);
      if (!isForged) continue;
      const history = await History.publish(claims, signer);
      forged++;
      const said = [];
      for (const tenant_id of ['acme', 'rival'])
        said.push(await monitored(history, tenant_id, new Random(seed), `${name}-${seed}-${tenant_id}`));
      expect([seed, said.every((one) => one === 'checked')]).toEqual([seed, false]);
      expect(said.filter((one) => one !== 'checked').join()).toMatch(/leaf of case/);
    }
    expect(forged).toBeGreaterThan(SEEDS / 2);
  });
});

test('an honest log is never accused, at whatever sizes a monitor looks', async () => {
  for (let seed = 0; seed < SEEDS * 5; seed++) {
    const history = await History.publish((await caseLog(seed)).claims, signer);
    for (const tenant_id of ['acme', 'rival', 'nobody'])
      expect([seed, await monitored(history, tenant_id, new Random(seed), `honest-${seed}-${tenant_id}`)]).toEqual([seed, 'checked']);
  }
});
