import { base64, strictBase64 } from '../bytes/base64.js';
import { concatBytes, uint32, utf8 } from '../bytes/bytes.js';
import type { NoteVerifier } from './note-key.js';

/** An unverified signature line of a note. */
export interface NoteSignature {
  name: string;
  key_hash: number;
  signature: Uint8Array;
}

export interface SignedNote {
  /** The signed text: lines that each end with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

const NOTE_CHARACTERS_MAX = 1_000_000;
const SIGNATURES_MAX = 100;
const KEY_HASH_BYTES = 4;
const LINE = /^— ([^\s+]{1,200}) ([A-Za-z0-9+/]+=*)$/u;

export function signatureLine({ name, key_hash, signature }: NoteSignature): string {
  const hash = new Uint8Array(KEY_HASH_BYTES);
  new DataView(hash.buffer).setUint32(0, key_hash);
  return `— ${name} ${base64(concatBytes(hash, signature))}\n`;
}

function parseLine(line: string): NoteSignature | undefined {
  const [, name, text] = LINE.exec(line) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const bytes = bytesOf(text);
  if (!bytes || bytes.length <= KEY_HASH_BYTES) return undefined;
  return { name, key_hash: uint32(bytes), signature: bytes.subarray(KEY_HASH_BYTES) };
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return strictBase64(text);
  } catch {
    return undefined;
  }
}

/** Parses the text and the signature lines (C2SP signed-note); undefined if the bytes are not a note. */
export function parseNote(note: string): SignedNote | undefined {
  if (note.length > NOTE_CHARACTERS_MAX || !note.endsWith('\n')) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a note has no control characters but line feeds
  if (/[\u0000-\u0009\u000b-\u001f]/u.test(note) || /\p{Surrogate}/u.test(note)) return undefined;
  const end = note.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return undefined;
  const signatures = lines.map(parseLine);
  if (signatures.some((one) => one === undefined)) return undefined;
  return { text: note.slice(0, end + 1), signatures: signatures as NoteSignature[] };
}

/** True if the note has a valid signature of this key over its text. Ignores signatures of other keys. */
export function isSignedBy({ text, signatures }: SignedNote, verifier: NoteVerifier): boolean {
  const own = signatures.filter(({ name, key_hash }) => name === verifier.name && key_hash === verifier.key_hash);
  return own.length > 0 && own.every(({ signature }) => verifier.verifies(utf8(text), signature));
}
