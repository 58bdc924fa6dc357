import { X509Certificate } from 'node:crypto';
import { AsnParser } from '@peculiar/asn1-schema';
import { Certificate, ExtendedKeyUsage, id_ce_extKeyUsage, id_kp_timeStamping } from '@peculiar/asn1-x509';

/** The given certificates are unusable; the message is one line. */
export class BadCertificate extends Error {}

/** The certificate of an authority, as the verifier trusts it: the certificate itself, no chain. */
export interface PinnedCertificate {
  x509: X509Certificate;
  /** DER. */
  raw: Buffer;
  name: string;
  from_ms: number;
  until_ms: number;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates in a PEM text, each one for timestamps only. @throws BadCertificate */
export function pinnedCertificates(pem: string): PinnedCertificate[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new BadCertificate('there is no certificate in PEM (-----BEGIN CERTIFICATE-----)');
  return blocks.map((block, at) => {
    try {
      return pinned(new X509Certificate(block));
    } catch (cause) {
      throw cause instanceof BadCertificate
        ? cause
        : new BadCertificate(`certificate ${at + 1} cannot be read: ${(cause as Error).message}`);
    }
  });
}

function pinned(x509: X509Certificate): PinnedCertificate {
  const name = x509.subject.replaceAll('\n', ', ').slice(0, 200);
  if (!isForTimestampsOnly(x509.raw))
    throw new BadCertificate(
      `${name} is not the certificate of a time-stamping authority: its only extended key usage must be timeStamping, critical`,
    );
  return { x509, raw: x509.raw, name, from_ms: Date.parse(x509.validFrom), until_ms: Date.parse(x509.validTo) };
}

/** RFC 3161 section 2.3. */
function isForTimestampsOnly(raw: Buffer): boolean {
  const { extensions = [] } = AsnParser.parse(raw, Certificate).tbsCertificate;
  const usage = extensions.find(({ extnID }) => extnID === id_ce_extKeyUsage);
  if (!usage?.critical) return false;
  const purposes = AsnParser.parse(usage.extnValue, ExtendedKeyUsage);
  return purposes.length === 1 && purposes[0] === id_kp_timeStamping;
}
