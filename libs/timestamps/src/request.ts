import { createHash, randomBytes } from 'node:crypto';
import { AsnParser, AsnSerializer, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, PKIStatus, TimeStampReq, TimeStampResp } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { SHA256 } from './algorithms.js';

const NONCE_BYTES = 12;

/** A random positive number that a response must repeat. */
export function newNonce(): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  nonce[0] = ((nonce[0] as number) & 0x3f) | 0x40;
  return nonce;
}

/** A request for a token over the SHA-256 of these bytes, with the certificate of the authority in it. */
export function timestampRequest(bytes: Uint8Array, nonce: Buffer): Buffer {
  const hashedMessage = new OctetString(createHash('sha256').update(bytes).digest());
  const messageImprint = new MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA256, parameters: null }),
    hashedMessage,
  });
  return Buffer.from(AsnSerializer.serialize(new TimeStampReq({ messageImprint, nonce: new Uint8Array(nonce).buffer, certReq: true })));
}

/** The token in a response, or why the authority gave none. @throws if the bytes are no response */
export function grantedToken(response: Uint8Array): Buffer | string {
  const { status, timeStampToken } = AsnParser.parse(response, TimeStampResp);
  const isGranted = status.status === PKIStatus.granted || status.status === PKIStatus.grantedWithMods;
  if (isGranted && timeStampToken) return Buffer.from(AsnSerializer.serialize(timeStampToken));
  return `the authority answered with status ${status.status}: ${status.statusString?.join(' ').slice(0, 200) ?? 'no text'}`;
}
