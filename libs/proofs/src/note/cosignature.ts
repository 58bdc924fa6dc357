import { cosignedMessage, signatureLine } from '@countersign/verifier';
import type { NoteSigner } from './note-key.js';

const TIMESTAMP_BYTES = 8;

/**
 * The signature line by which a witness states that at `time_s` it saw this checkpoint and no contradicting one (C2SP tlog-cosignature).
 */
export function cosign(text: string, time_s: number, { verifier, sign }: NoteSigner): string {
  const time = Buffer.alloc(TIMESTAMP_BYTES);
  time.writeBigUInt64BE(BigInt(time_s));
  const signature = Buffer.concat([time, sign(cosignedMessage(text, time_s))]);
  return signatureLine({ name: verifier.name, key_hash: verifier.key_hash, signature });
}
