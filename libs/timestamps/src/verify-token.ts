import { createHash, verify } from 'node:crypto';
import { Attribute, ContentInfo, id_contentType, id_messageDigest, id_signedData, SignedData, type SignerInfo } from '@peculiar/asn1-cms';
import {
  AsnArray,
  AsnObjectIdentifierConverter,
  AsnParser,
  AsnSerializer,
  AsnType,
  AsnTypeTypes,
  OctetString,
} from '@peculiar/asn1-schema';
import { id_ct_tstInfo, TSTInfo } from '@peculiar/asn1-tsp';
import { digests, SHA256, signatures } from './algorithms.js';
import type { PinnedCertificate } from './pinned-certificate.js';
import { namesCertificate } from './signing-certificate.js';

/** `valid`: the authority saw the bytes no later than `time_ms`. */
export type TokenVerdict =
  | { kind: 'valid'; time_ms: number; authority: string; policy: string; serial: string }
  | { kind: 'refused'; reason: string };

/** The object identifier of a timestamp, as the attribute of its type holds it. */
const TIMESTAMP = Buffer.from(AsnObjectIdentifierConverter.toASN(id_ct_tstInfo).toBER());
const TOKEN_BYTES_MAX = 64 * 1024;
const refused = (reason: string): TokenVerdict => ({ kind: 'refused', reason });

/** The statement of a token, its exact bytes, and who signed it. */
interface Opened {
  content: Buffer;
  info: TSTInfo;
  signer: SignerInfo;
}

function opened(token: Uint8Array): Opened | string {
  const { contentType, content } = AsnParser.parse(token, ContentInfo);
  if (contentType !== id_signedData) return 'the token is no signed data';
  const { encapContentInfo, signerInfos } = AsnParser.parse(content, SignedData);
  const { eContentType, eContent } = encapContentInfo;
  if (eContentType !== id_ct_tstInfo || !eContent?.single) return 'the token holds no timestamp';
  const [signer, ...more] = signerInfos;
  if (!signer || more.length > 0) return 'the token is not signed exactly once';
  const bytes = Buffer.from(eContent.single.buffer);
  return { content: bytes, info: AsnParser.parse(bytes, TSTInfo), signer };
}

function valuesOf(attributes: readonly Attribute[], type: string): ArrayBuffer[] {
  return attributes.filter(({ attrType }) => attrType === type).flatMap(({ attrValues }) => attrValues);
}

/** Why the signed attributes are not those of this content; undefined if they are. */
function attributeFault({ content, signer }: Opened, hash: string): string | undefined {
  const attributes = signer.signedAttrs ?? [];
  const [type, ...types] = valuesOf(attributes, id_contentType);
  if (!type || types.length > 0 || !Buffer.from(type).equals(TIMESTAMP)) return 'the signed attributes are of other content';
  const [digest, ...digests] = valuesOf(attributes, id_messageDigest);
  const isOwn = digest && Buffer.from(AsnParser.parse(digest, OctetString).buffer).equals(createHash(hash).update(content).digest());
  return isOwn && digests.length === 0 ? undefined : 'the signed digest is that of another timestamp';
}

/** What is signed: the attributes as they were read, with the tag of a SET (RFC 5652 section 5.4). */
@AsnType({ type: AsnTypeTypes.Set, itemType: Attribute })
class SignedAttributes extends AsnArray<Attribute> {}

/** Whether the signature over the signed attributes is one of this certificate's key. */
function isSignedBy({ signer }: Opened, hash: string, { x509 }: PinnedCertificate): boolean {
  const algorithm = signatures[signer.signatureAlgorithm.algorithm];
  if (!algorithm || x509.publicKey.asymmetricKeyType !== algorithm.key) return false;
  if (algorithm.hash !== undefined && algorithm.hash !== hash) return false;
  const signed = Buffer.from(AsnSerializer.serialize(new SignedAttributes(signer.signedAttrs)));
  return verify(algorithm.key === 'ed25519' ? null : hash, signed, x509.publicKey, Buffer.from(signer.signature.buffer));
}

function judged(token: Uint8Array, bytes: Uint8Array, pinned: readonly PinnedCertificate[], nonce: Buffer | undefined): TokenVerdict {
  const found = opened(token);
  if (typeof found === 'string') return refused(found);
  const { info, signer } = found;
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  const own = createHash('sha256').update(bytes).digest();
  if (info.version !== 1 || hashAlgorithm.algorithm !== SHA256 || !own.equals(new Uint8Array(hashedMessage.buffer)))
    return refused('the timestamp is of other bytes');
  if (nonce && !(info.nonce && Buffer.from(info.nonce).equals(nonce))) return refused('the timestamp answers another request');
  const hash = digests[signer.digestAlgorithm.algorithm];
  if (hash === undefined) return refused(`the digest ${signer.digestAlgorithm.algorithm} is not accepted`);
  const fault = attributeFault(found, hash);
  if (fault !== undefined) return refused(fault);
  const by = pinned.find((each) => namesCertificate(signer.signedAttrs ?? [], each.raw));
  if (!by) return refused('the timestamp is not of a pinned certificate');
  if (!isSignedBy(found, hash, by)) return refused(`the signature of ${by.name} is wrong, or of an algorithm that is not accepted`);
  const time_ms = info.genTime.getTime();
  if (!(time_ms >= by.from_ms && time_ms <= by.until_ms))
    return refused(`the certificate of ${by.name} was not valid at the time of the timestamp`);
  return { kind: 'valid', time_ms, authority: by.name, policy: info.policy, serial: Buffer.from(info.serialNumber).toString('hex') };
}

/**
 * Checks a token (RFC 3161) over these bytes against the certificates that the caller trusts, and nothing else: no chain, no revocation.
 * `nonce`: that of the request. Never throws: unreadable bytes are refused.
 */
export function verifyToken(token: Uint8Array, bytes: Uint8Array, pinned: readonly PinnedCertificate[], nonce?: Buffer): TokenVerdict {
  if (token.length > TOKEN_BYTES_MAX) return refused(`the token is larger than ${TOKEN_BYTES_MAX} bytes`);
  try {
    return judged(token, bytes, pinned, nonce);
  } catch {
    return refused('the token cannot be read');
  }
}
