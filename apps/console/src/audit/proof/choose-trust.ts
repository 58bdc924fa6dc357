import { BadTrust, logKey, type ProofCrypto, parseTrust, parseWitness, type Trust } from '@countersign/verifier';
import { failed, open, proven, type Step } from './step.js';

/** Who names a key that is not pinned. */
export type NamedBy = 'server' | 'file';

export interface ChosenTrust {
  trust: Trust;
  is_pinned: boolean;
  step: Step;
}

const TITLE = 'Key of the log';

/**
 * The keys to verify with: those that the auditor pinned, and only those once there are any. Without a pinned key: the key that
 * the server or the file names, although that does not prove who holds it. Without any readable key: a failed step.
 */
export function chooseTrust(crypto: ProofCrypto, pinned: readonly string[], named: string, by: NamedBy): ChosenTrust | Step {
  const trusts = pinned.flatMap((text) => readable(crypto, text));
  const found = trusts.find(({ log }) => log.vkey === named);
  if (found) return { trust: found, is_pinned: true, step: pinnedStep(found) };
  if (pinned.length > 0) return otherKey(trusts, named, by);
  try {
    const log = logKey(crypto, named);
    return { trust: { log, witnesses: [] }, is_pinned: false, step: namedStep(named, by) };
  } catch {
    return failed('key', TITLE, `The ${by} names no key that can be read.`, [['Named', named.slice(0, 300)]]);
  }
}

function readable(crypto: ProofCrypto, text: string): Trust[] {
  try {
    return [parseTrust(crypto, 'the pinned keys', text)];
  } catch (cause) {
    if (cause instanceof BadTrust) return [];
    throw cause;
  }
}

function pinnedStep({ log, witnesses }: Trust): Step {
  const also = witnesses.length === 0 ? '' : ` with ${witnesses.length === 1 ? 'its witness' : `its ${witnesses.length} witnesses`}`;
  return proven('key', TITLE, `You pinned this key in this browser${also}. The server cannot replace it.`, [['Key', log.vkey]]);
}

const namedStep = (named: string, by: NamedBy): Step =>
  open(
    'key',
    TITLE,
    by === 'server'
      ? 'No key is pinned in this browser: this one comes from the same server that is to be checked. Pin the key that its operator gave you another way.'
      : 'No key is pinned in this browser: this one comes from the file itself, and its author could choose it. Pin the key that the operator gave you another way.',
    [['Key', named]],
  );

function otherKey(trusts: readonly Trust[], named: string, by: NamedBy): Step {
  const same_name = trusts.some(({ log }) => named.startsWith(`${log.name}+`));
  const why = same_name
    ? `The ${by} names another key under the name of a log that you pinned. The key was replaced, or this is not that log.`
    : `The ${by} names the key of another installation: you did not pin it.`;
  const values = [['Named', named.slice(0, 300)] as const, ...trusts.map(({ log }) => ['Pinned', log.vkey] as const)];
  return failed('key', TITLE, why, values);
}

/**
 * What an auditor pasted, in the form in which it is kept: a trust file, or lines of which the first is the key of the log and the others
 * those of witnesses (`heads:` before those that check heads). @throws BadTrust
 */
export function pinnable(crypto: ProofCrypto, pasted: string): string {
  const text = pasted.trim();
  if (text.startsWith('{')) {
    parseTrust(crypto, 'The trust file', text);
    return JSON.stringify(JSON.parse(text));
  }
  const [log = '', ...others] = text.split(/\s+/);
  logKey(crypto, log);
  const witnesses = others.map((line) => {
    const witness = parseWitness(crypto, line);
    if (!witness) throw new BadTrust(`${line.slice(0, 100)} is not a key of a witness ([heads:]name+hash+base64)`);
    return { key: witness.key.vkey, checks: witness.checks };
  });
  return JSON.stringify({ log, witnesses });
}
