import type { ProofCrypto } from '../crypto/proof-crypto.js';
import { type NoteVerifier, parseVkey } from './note-key.js';
import type { Trust } from './trust.js';
import { parseWitness, type Witness } from './witness-key.js';

/** The given keys are invalid; the message is one line for the user. */
export class BadTrust extends Error {}

interface TrustText {
  /** `name+hash+base64` */
  log: string;
  witnesses: { key: string; checks: 'heads' | 'entries'; heads_since?: string }[];
}

/** Parses the text of a file of trusted keys: docs/how-to/auditors.md shows one. `file` names it in messages. @throws BadTrust */
export function parseTrust(crypto: ProofCrypto, file: string, text: string): Trust {
  let parsed: TrustText;
  try {
    parsed = JSON.parse(text) as TrustText;
  } catch (cause) {
    throw new BadTrust(`${file} cannot be read: ${(cause as Error).message}`);
  }
  onlyKnows(file, parsed, ['log', 'witnesses']);
  const { log, witnesses = [] } = parsed;
  if (!Array.isArray(witnesses)) throw new BadTrust(`${file}: /witnesses is not a list`);
  return { log: logKey(crypto, log), witnesses: witnesses.map((one, at) => witnessOf(crypto, `${file}: /witnesses/${at}`, one)) };
}

/** The key of a log. @throws BadTrust */
export function logKey(crypto: ProofCrypto, text: unknown): NoteVerifier {
  const key = parseVkey(crypto, String(text));
  if (!key) throw new BadTrust(`${String(text).slice(0, 100)} is not a key (name+hash+base64)`);
  return key;
}

function witnessOf(crypto: ProofCrypto, where: string, one: TrustText['witnesses'][number]): Witness {
  onlyKnows(where, one, ['key', 'checks', 'heads_since']);
  const { key, checks, heads_since } = one;
  if (checks !== 'heads' && checks !== 'entries')
    throw new BadTrust(`${where}/checks is ${String(checks).slice(0, 40)}, but must be heads or entries`);
  const witness = parseWitness(crypto, String(key));
  if (!witness || witness.checks === 'heads')
    throw new BadTrust(`${where}/key is not a key of a witness (name+hash+base64, without the prefix heads:)`);
  if (heads_since === undefined) return { key: witness.key, checks };
  const since_ms = Date.parse(heads_since);
  if (!Number.isFinite(since_ms)) throw new BadTrust(`${where}/heads_since is not a time such as 2026-11-23T18:00:00Z`);
  return { key: witness.key, checks, heads_since_s: Math.ceil(since_ms / 1000) };
}

/** Refuses unknown members: a misspelt one must not weaken the trust. */
function onlyKnows(where: string, value: unknown, members: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadTrust(`${where} is not an object`);
  const odd = Object.keys(value).find((name) => !members.includes(name));
  if (odd !== undefined) throw new BadTrust(`${where} has an unknown member ${odd.slice(0, 40)}; known members: ${members.join(', ')}`);
}
