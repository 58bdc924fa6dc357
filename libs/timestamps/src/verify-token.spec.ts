import { noteSigner, signCheckpoint } from '@countersign/proofs';
import { describe, expect, test } from 'vitest';
import { BadCertificate, pinnedCertificates } from './pinned-certificate.js';
import { grantedToken, newNonce, timestampRequest } from './request.js';
import { recorded } from './testing/recorded-token.js';
import { timestampedBytes } from './timestamped-bytes.js';
import { verifyToken } from './verify-token.js';

const pinned = pinnedCertificates(recorded.pem);
const { bytes, token, time_ms } = recorded;
const valid = { kind: 'valid', time_ms, authority: 'CN=Test TSA', policy: '1.2.3.4.1', serial: '02' };

describe('a token of a time-stamping authority', () => {
  test('is valid for its bytes under the pinned certificate', () => {
    expect(verifyToken(token, bytes, pinned)).toEqual(valid);
    expect(grantedToken(recorded.response)).toEqual(token);
  });

  test('is refused for other bytes, without its certificate, after its end, and as the answer to another request', () => {
    const reason = (...args: Parameters<typeof verifyToken>) => (verifyToken(...args) as { reason?: string }).reason;
    expect(reason(token, Buffer.from('date'), pinned)).toBe('the timestamp is of other bytes');
    expect(reason(token, bytes, [])).toBe('the timestamp is not of a pinned certificate');
    expect(reason(token, bytes, pinned, newNonce())).toBe('the timestamp answers another request');
    expect(
      reason(
        token,
        bytes,
        pinned.map((each) => ({ ...each, until_ms: time_ms - 1 })),
      ),
    ).toContain('was not valid at the time');
    expect(
      reason(
        token,
        bytes,
        pinned.map((each) => ({ ...each, from_ms: time_ms + 1 })),
      ),
    ).toContain('was not valid at the time');
    expect(reason(Buffer.alloc(100_000), bytes, pinned)).toContain('larger than');
    for (const broken of [Buffer.alloc(0), Buffer.from('text'), token.subarray(0, -1), Buffer.alloc(60_000, 0x30)])
      expect(verifyToken(broken, bytes, pinned).kind).toBe('refused');
  });

  test('says nothing else after any change of one bit: it is refused, or what changed is not signed', () => {
    let refused = 0;
    for (let at = 0; at < token.length; at += 5) {
      const changed = Buffer.from(token);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      const verdict = verifyToken(changed, bytes, pinned);
      if (verdict.kind === 'refused') refused++;
      else expect([at, verdict]).toEqual([at, valid]);
    }
    // The certificate that the token carries is not read: the pinned one is.
    expect(refused).toBeGreaterThan(120);
  });

  test('is not given where the authority refuses', () => {
    const rejection = Buffer.from('3009300702010230020c00', 'hex');
    expect(grantedToken(rejection)).toBe('the authority answered with status 2: ');
    expect(() => grantedToken(Buffer.from('<html>'))).toThrow();
  });
});

test('certificates are pinned only if they are for timestamps and nothing else', () => {
  expect(pinned.map(({ name }) => name)).toEqual(['CN=Test TSA']);
  expect(pinnedCertificates(`${recorded.pem}\n${recorded.pem}`)).toHaveLength(2);
  expect(() => pinnedCertificates(recorded.ca_pem)).toThrow(/CN=Test CA is not the certificate of a time-stamping authority/);
  expect(() => pinnedCertificates('text')).toThrow(BadCertificate);
  expect(() => pinnedCertificates(recorded.pem.replace(/MII./, 'AAAA'))).toThrow(/certificate 1 cannot be read/);
});

test('requests have a nonce of their own and the hash of the bytes', () => {
  const [one, other] = [newNonce(), newNonce()];
  expect(one.equals(other)).toBe(false);
  const request = timestampRequest(bytes, one);
  expect(request.includes(one)).toBe(true);
  expect(request.toString('hex')).toContain('3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7');
});

test('the timestamped bytes of a checkpoint are the note as the log signed it, whoever cosigned', () => {
  const log = noteSigner('log.example', Buffer.alloc(32, 1));
  const note = signCheckpoint({ size: 3, root: Buffer.alloc(32, 3) }, log);
  const witness = noteSigner('witness.example', Buffer.alloc(32, 2));
  const line = signCheckpoint({ size: 3, root: Buffer.alloc(32, 3) }, witness).split('\n\n')[1];
  expect(timestampedBytes(note, log.verifier)?.toString()).toBe(note);
  expect(timestampedBytes(note + line, log.verifier)?.toString()).toBe(note);
  expect(timestampedBytes(note, witness.verifier)).toBeUndefined();
});
