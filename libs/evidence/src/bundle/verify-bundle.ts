import { nodeHashing } from '@countersign/proofs';
import { type Bundle, type BundleVerdict, type Trust, verifyBundle as verifyOn } from '@countersign/verifier';
import { CodecDecoder } from './codec-decoder.js';

/** Checks a bundle on node:crypto, with the codec of the log, against the keys that the caller trusts. Never throws. */
export function verifyBundle(bundle: Bundle, trust: Trust): BundleVerdict {
  return verifyOn(bundle, trust, { hashing: nodeHashing, decoder: new CodecDecoder() });
}
