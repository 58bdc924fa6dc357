import { type NoteVerifier, parseNote, signatureLine } from '@countersign/verifier';

/**
 * The bytes of a checkpoint that a timestamp covers: the note with only the first line of the log's key, as the signer wrote it. Lines of
 * witnesses come later and have times of their own. Undefined if the note has no line of this key.
 */
export function timestampedBytes(note: string, log: Pick<NoteVerifier, 'name' | 'key_hash'>): Buffer | undefined {
  const parsed = parseNote(note);
  const own = parsed?.signatures.find(({ name, key_hash }) => name === log.name && key_hash === log.key_hash);
  return parsed && own && Buffer.from(`${parsed.text}\n${signatureLine(own)}`);
}
