import { existsSync, readFileSync } from 'node:fs';
import { CaseTopic, type NewCaseLeaf } from '@countersign/evidence';

/**
 * Preloaded into a server, so that it signs wrong leaves of cases: what the owner of log and key can do. The file
 * COUNTERSIGN_TEST_FORGE_FILE names the lie; without the file the server is honest. A lie changes the leaves after the first of a case.
 * `hold` writes no leaves at all, as if the process had died between an entry and its leaves.
 */
const lies: Record<string, (leaf: NewCaseLeaf) => NewCaseLeaf> = {
  count: (leaf) => ({ ...leaf, records: leaf.records - 1 }),
  added: (leaf) => ({ ...leaf, added: leaf.added - 1 }),
  hash: (leaf) => ({ ...leaf, hash: Buffer.alloc(32, 7).toString('base64') }),
  previous: (leaf) => ({ ...leaf, previous: null }),
  cut: (leaf) => ({ ...leaf, cut: leaf.cut + 1 }),
};

const file = process.env.COUNTERSIGN_TEST_FORGE_FILE ?? '';
const append = CaseTopic.prototype.append;
CaseTopic.prototype.append = async function (leaves, now_ms) {
  const lie = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (lie === 'hold') return new Promise(() => undefined);
  const isFirst = ({ previous }: NewCaseLeaf) => previous === null;
  const forged = leaves.map((leaf) => (isFirst(leaf) ? leaf : (lies[lie] ?? ((same) => same))(leaf)));
  if (lie !== 'leave out') return append.call(this, forged, now_ms);
  // Only first leaves are written; for the others the signer believes that the one before is the newest.
  const offsets = await append.call(this, forged.filter(isFirst), now_ms);
  return forged.map((leaf) => (isFirst(leaf) ? offsets.shift() : leaf.previous) as number);
};
