import { createHash } from 'node:crypto';
import { type Attribute } from '@peculiar/asn1-cms';
import { AsnParser, AsnProp, AsnPropTypes, OctetString } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { digests, SHA256 } from './algorithms.js';

const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** RFC 5035 section 4; what follows the hash is not read. */
class EssCertificate {
  @AsnProp({ type: OctetString })
  certHash = new OctetString();

  @AsnProp({ type: AsnPropTypes.Any, optional: true })
  issuerSerial?: ArrayBuffer;
}

class EssCertificateV2 {
  @AsnProp({ type: AlgorithmIdentifier, optional: true })
  hashAlgorithm?: AlgorithmIdentifier;

  @AsnProp({ type: OctetString })
  certHash = new OctetString();

  @AsnProp({ type: AsnPropTypes.Any, optional: true })
  issuerSerial?: ArrayBuffer;
}

class SigningCertificate {
  @AsnProp({ type: EssCertificate, repeated: 'sequence' })
  certs: EssCertificate[] = [];

  @AsnProp({ type: AsnPropTypes.Any, optional: true })
  policies?: ArrayBuffer;
}

class SigningCertificateV2 {
  @AsnProp({ type: EssCertificateV2, repeated: 'sequence' })
  certs: EssCertificateV2[] = [];

  @AsnProp({ type: AsnPropTypes.Any, optional: true })
  policies?: ArrayBuffer;
}

const isHashOf = (raw: Buffer, algorithm: string, hash: OctetString): boolean =>
  createHash(algorithm).update(raw).digest().equals(new Uint8Array(hash.buffer));

/** Whether the signed attributes name this certificate as the one that signed (RFC 3161 section 2.4.2, RFC 5816). */
export function namesCertificate(attributes: readonly Attribute[], raw: Buffer): boolean {
  const attributeOf = (type: string) => attributes.find(({ attrType }) => attrType === type)?.attrValues[0];
  const later = attributeOf(SIGNING_CERTIFICATE_V2);
  if (later) {
    const [named] = AsnParser.parse(later, SigningCertificateV2).certs;
    const algorithm = digests[named?.hashAlgorithm?.algorithm ?? SHA256];
    return named !== undefined && algorithm !== undefined && isHashOf(raw, algorithm, named.certHash);
  }
  const first = attributeOf(SIGNING_CERTIFICATE);
  const [named] = first ? AsnParser.parse(first, SigningCertificate).certs : [];
  // Of SHA-1 nothing depends: the signature is verified with the key of the pinned certificate.
  return named !== undefined && isHashOf(raw, 'sha1', named.certHash);
}
