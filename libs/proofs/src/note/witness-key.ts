import * as verifier from '@countersign/verifier';
import { nodeCrypto } from '../crypto/node-crypto.js';

/** Parses a witness's key, written as `heads:<vkey>` if it checks heads; undefined if the text is not a witness key. */
export const parseWitness = (text: string): verifier.Witness | undefined => verifier.parseWitness(nodeCrypto, text);
