import { readFile } from 'node:fs/promises';
import { nodeCrypto, parseWitness, type Trust } from '@countersign/proofs';
import { BadTrust, logKey, parseTrust } from '@countersign/verifier';

export { BadTrust } from '@countersign/verifier';

/** Reads a file of trusted keys: docs/how-to/auditors.md shows one. @throws BadTrust */
export async function readTrust(file: string): Promise<Trust> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new BadTrust(`${file} cannot be read: ${(cause as Error).message}`);
  }
  return parseTrust(nodeCrypto, file, text);
}

/** Keys from the command line. @throws BadTrust */
export function trustOf(vkey: string, witnesses: readonly string[]): Trust {
  return { log: logKey(nodeCrypto, vkey), witnesses: witnesses.map(witnessOf) };
}

function witnessOf(text: string) {
  const witness = parseWitness(text);
  if (!witness) throw new BadTrust(`${text.slice(0, 100)} is not a key of a witness ([heads:]name+hash+base64)`);
  return witness;
}
