import type { Bundle } from '@countersign/evidence';
import { entryHash, inclusionProof, type NoteSigner, recordHash, signCheckpoint, strictBase64 } from '@countersign/proofs';
import { rootFromInclusion } from '@countersign/proofs/merkle/verify';
import { headHash } from '@countersign/proofs/record/tree-heads';
import { grown } from './history.js';

const text = (path: readonly Buffer[]) => path.map((hash) => hash.toString('base64'));

/** The root of the heads that the records of a bundle prove. */
function headsRootOf({ records }: Bundle): Buffer {
  const [record] = records as [Bundle['records'][number]];
  const { topic, partition, offset, proof } = record;
  const leaf = recordHash({ ...record, value: strictBase64(record.value) });
  const root = rootFromInclusion(leaf, offset, proof.tree.size, proof.tree.path.map(strictBase64)) as Buffer;
  const head = headHash({ topic, partition, size: proof.tree.size, root });
  return rootFromInclusion(head, proof.head.index, proof.entry.trees, proof.head.path.map(strictBase64)) as Buffer;
}

/** The same bundle without its case, whose leaf names entries, in a log with another key, in which its entry is number `at` of `size`. */
export async function reSigned({ case: _, ...bundle }: Bundle, signer: NoteSigner, at: number, size: number): Promise<Bundle> {
  const { time_ms, trees, cut } = (bundle.records[0] as Bundle['records'][number]).proof.entry;
  const entry = { number: at, time_ms, trees, heads_root: headsRootOf(bundle), ...(cut ? { cut } : {}) };
  const leaves = Array.from({ length: size }, (_, number) =>
    entryHash(number === at ? entry : { ...entry, number, heads_root: Buffer.alloc(32, number) }),
  );
  const tree = grown(leaves);
  const path = text(await inclusionProof(tree.subtrees, at, size));
  return {
    ...bundle,
    records: bundle.records.map((record) => ({
      ...record,
      proof: { ...record.proof, entry: { ...record.proof.entry, number: at, path } },
    })),
    checkpoint: signCheckpoint({ size, root: await tree.root }, signer),
    vkey: signer.verifier.vkey,
  };
}
