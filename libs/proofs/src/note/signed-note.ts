import type { NoteSigner, NoteVerifier } from './note-key.js';

/** An unverified signature line of a note. */
export interface NoteSignature {
  name: string;
  key_hash: number;
  signature: Buffer;
}

export interface SignedNote {
  /** The signed text: lines that each end with a line feed. */
  text: string;
  signatures: NoteSignature[];
}

const NOTE_BYTES_MAX = 1_000_000;
const SIGNATURES_MAX = 100;
const LINE = /^— ([^\s+]{1,200}) ([A-Za-z0-9+/]+=*)$/u;

export function signatureLine({ name, key_hash, signature }: NoteSignature): string {
  const hash = Buffer.alloc(4);
  hash.writeUInt32BE(key_hash);
  return `— ${name} ${Buffer.concat([hash, signature]).toString('base64')}\n`;
}

function parseLine(line: string): NoteSignature | undefined {
  const [, name, base64] = LINE.exec(line) ?? [];
  if (name === undefined || base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length < 5 || bytes.toString('base64') !== base64) return undefined;
  return { name, key_hash: bytes.readUInt32BE(0), signature: bytes.subarray(4) };
}

/** Parses the text and the signature lines (C2SP signed-note); undefined if the bytes are not a note. */
export function parseNote(note: string): SignedNote | undefined {
  if (note.length > NOTE_BYTES_MAX || !note.endsWith('\n')) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a note has no control characters but line feeds
  if (/[\u0000-\u0009\u000b-\u001f]/u.test(note) || /\p{Surrogate}/u.test(note)) return undefined;
  const end = note.lastIndexOf('\n\n');
  if (end < 0) return undefined;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map(parseLine);
  if (signatures.length > SIGNATURES_MAX || signatures.some((one) => one === undefined)) return undefined;
  return { text: note.slice(0, end + 1), signatures: signatures as NoteSignature[] };
}

/** Builds a note from a text and its first signature. The text must end with a line feed. */
export function signNote(text: string, { verifier, sign }: NoteSigner): string {
  const { name, key_hash } = verifier;
  return `${text}\n${signatureLine({ name, key_hash, signature: sign(Buffer.from(text)) })}`;
}

/** True if the note has a valid signature of this key over its text. Ignores signatures of other keys. */
export function isSignedBy({ text, signatures }: SignedNote, verifier: NoteVerifier): boolean {
  const own = signatures.filter(({ name, key_hash }) => name === verifier.name && key_hash === verifier.key_hash);
  return own.length > 0 && own.every(({ signature }) => verifier.verifies(Buffer.from(text), signature));
}
