import { signatureLine } from '@countersign/verifier';
import type { NoteSigner } from './note-key.js';

/** Builds a note from a text and its first signature. The text must end with a line feed. */
export function signNote(text: string, { verifier, sign }: NoteSigner): string {
  const { name, key_hash } = verifier;
  return `${text}\n${signatureLine({ name, key_hash, signature: sign(Buffer.from(text)) })}`;
}
