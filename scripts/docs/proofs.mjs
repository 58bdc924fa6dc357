import { readFileSync } from 'node:fs';
import path from 'node:path';

/** docs/reference/proofs.md with its test vectors computed anew; the rest of the page is written by hand. */
export async function page(root) {
  const { vectorLog } = await import(path.join(root, 'libs/proofs/dist/testing/vector-log.js'));
  const { withVectors } = await import(path.join(root, 'libs/proofs/dist/testing/published-vector.js'));
  const { vectorCase } = await import(path.join(root, 'libs/evidence/dist/testing/vector-case.js'));
  return withVectors(readFileSync(path.join(root, 'docs/reference/proofs.md'), 'utf8'), {
    ...(await vectorLog()),
    ...(await vectorCase()),
  });
}
