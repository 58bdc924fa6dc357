import { CaseTopic, type NewCaseLeaf } from '@countersign/evidence';

/**
 * Preloaded into a server, so that it signs wrong leaves of cases: what the owner of log and key can do. COUNTERSIGN_TEST_FORGE says how,
 * from the second leaf of a case on.
 */
const lies: Record<string, (leaf: NewCaseLeaf) => NewCaseLeaf> = {
  count: (leaf) => ({ ...leaf, records: leaf.records - 1 }),
  added: (leaf) => ({ ...leaf, added: leaf.added - 1 }),
  hash: (leaf) => ({ ...leaf, hash: Buffer.alloc(32, 7).toString('base64') }),
  previous: (leaf) => ({ ...leaf, previous: null }),
  cut: (leaf) => ({ ...leaf, cut: leaf.cut + 1 }),
};

const lie = process.env.COUNTERSIGN_TEST_FORGE ?? '';
const append = CaseTopic.prototype.append;
CaseTopic.prototype.append = function (leaves, now_ms) {
  const forged = leaves.map((leaf) => (leaf.previous === null ? leaf : (lies[lie] ?? ((same) => same))(leaf)));
  // A case that is left out of an entry altogether: its leaf stands in for no append.
  if (lie !== 'leave out' || forged.every(({ previous }) => previous === null)) return append.call(this, forged, now_ms);
  return Promise.resolve(forged.map(({ previous }) => previous as number));
};
