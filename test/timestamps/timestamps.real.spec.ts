import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle } from '@countersign/evidence';
import { parseVkey } from '@countersign/proofs';
import { grantedToken, newNonce, pinnedCertificates, timestampedBytes, timestampRequest, verifyToken } from '@countersign/timestamps';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonBundle } from '../conformance/python-bundle.js';
import type { Api } from '../journeys/api.js';
import { countersign } from '../journeys/cli.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { OpensslAuthority } from './openssl-authority.js';

interface Stamped {
  size: number;
  checkpoint: string;
  token: string;
  time_ms: number;
}

describe.each([
  ['RSA', ['rsa:3072']],
  ['P-256', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
  ['P-384', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
])('a token of openssl with a key of the kind %s', (kind, key) => {
  test('is read as openssl reads it', async () => {
    const [authority, other] = [await OpensslAuthority.start(`TSA ${kind}`, key), await OpensslAuthority.start(`TSA ${kind}`, key)];
    try {
      const pinned = pinnedCertificates(readFileSync(authority.certificate, 'utf8'));
      const bytes = Buffer.from('the bytes');
      const nonce = newNonce();
      const token = grantedToken(await authority.reply(timestampRequest(bytes, nonce))) as Buffer;
      expect(verifyToken(token, bytes, pinned, nonce)).toMatchObject({ kind: 'valid', authority: `CN=TSA ${kind}` });
      expect(await authority.verifies(token, bytes)).toBe(true);
      for (const [wrong, data] of [
        [token, Buffer.from('other bytes')],
        [grantedToken(await other.reply(timestampRequest(bytes, nonce))) as Buffer, bytes],
      ] as const)
        expect([verifyToken(wrong, data, pinned, nonce).kind, await authority.verifies(wrong, data)]).toEqual(['refused', false]);
    } finally {
      await Promise.all([authority.close(), other.close()]);
    }
  });
});

describe('checkpoints of a platform with a time-stamping authority', () => {
  let authority: OpensslAuthority;
  let other: OpensslAuthority;
  let platform: EmbeddedPlatform;
  let auditor: Api;
  let serial = 0;

  const write = () => platform.admin().call({ tool: 'write_file', inputs: { path: `${++serial}.txt`, content: 'x', mode: 'create' } });

  async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
      const found = await look();
      if (found !== undefined) return found;
    }
    throw new Error(`no ${what}\n${platform.process.output.slice(-3000)}`);
  }

  const stampedFrom = (size: number) =>
    until(`timestamp from checkpoint ${size} on`, async () => {
      const { status, body } = await auditor.request<Stamped>('GET', `/v1/audit/timestamp?size=${size}`);
      return status === 200 ? body : undefined;
    });

  const sizeNow = async () => Number((await auditor.request<string>('GET', '/v1/audit/checkpoint')).body.split('\n')[1]);
  const vkeyNow = async () => (await auditor.request('GET', '/v1/audit/checkpoint')).headers.get('countersign-vkey') as string;

  beforeAll(async () => {
    [authority, other] = [await OpensslAuthority.start('Test TSA'), await OpensslAuthority.start('Test TSA')];
    platform = await EmbeddedPlatform.start({
      COUNTERSIGN_TIMESTAMP_URL: authority.url,
      COUNTERSIGN_TIMESTAMP_CERTIFICATE: authority.certificate,
      COUNTERSIGN_TIMESTAMP_EVERY_S: '1',
    });
    auditor = await platform.admin().keyFor('user', 'audra', ['auditor']);
  });
  afterAll(async () => {
    await platform.close();
    await Promise.all([authority.close(), other.close()]);
  });

  test('have tokens that openssl verifies over the note as the log signed it', async () => {
    await write();
    const { checkpoint, token, time_ms } = await stampedFrom(1);
    const bytes = timestampedBytes(checkpoint, parseVkey(await vkeyNow()) as NonNullable<ReturnType<typeof parseVkey>>) as Buffer;
    expect(bytes.toString()).toBe(checkpoint);
    expect(await authority.verifies(Buffer.from(token, 'base64'), bytes)).toBe(true);
    expect(Math.abs(time_ms - Date.now())).toBeLessThan(120_000);
    expect((await auditor.request('GET', '/v1/audit/timestamp?size=999999')).status).toBe(404);
  });

  test('are in bundles, and verify with the pinned certificate only', async () => {
    const { body: call } = await write();
    const bundle = await until('timestamped bundle', async () => {
      const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call.call_id}&timestamped=true`);
      return status === 200 ? body : undefined;
    });
    const file = path.join(platform.dir, 'bundle.json');
    const verify = async (content: Bundle, ...tsa: string[]) => {
      writeFileSync(file, JSON.stringify(content));
      const { code, output } = await countersign({}, 'verify', file, '--vkey', bundle.vkey, ...tsa);
      return `${code} ${output}`;
    };
    expect(await verify(bundle, '--tsa', authority.certificate)).toMatch(/^0 [\s\S]*timestamped by CN=Test TSA at .*existed by then/);
    expect(await verify(bundle)).toMatch(/^0 [\s\S]*not proven: the timestamp in the bundle was not checked/);
    expect(await verify(bundle, '--tsa', other.certificate)).toMatch(/^1 refused: the timestamp is not of a pinned certificate/);
    expect(await verify(bundle, '--tsa', authority.file('ca.pem'))).toMatch(/^2 .*not the certificate of a time-stamping authority/);
    const { timestamp: _, ...plain } = bundle;
    expect(await verify(plain as Bundle, '--tsa', authority.certificate)).toMatch(/^1 refused: the bundle has no timestamp/);
    const older = await stampedFrom(1);
    expect(await verify({ ...bundle, timestamp: { token: older.token } }, '--tsa', authority.certificate)).toMatch(
      /^1 refused: the timestamp is of other bytes/,
    );
    expect(await verify({ ...bundle, timestamp: { token: 'AAAA' } }, '--tsa', authority.certificate)).toMatch(
      /^1 refused: the token cannot be read/,
    );
    expect(await verify({ ...bundle, timestamp: { token: 'AAAA', more: 1 } } as never)).toMatch(
      /^1 refused: the timestamp has a member more/,
    );
  });

  test('are read by the verifier in Python as by ours', async () => {
    const { body: call } = await write();
    const bundle = await until('timestamped bundle', async () => {
      const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?call_id=${call.call_id}&timestamped=true`);
      return status === 200 ? body : undefined;
    });
    const verdict = ({ timestamp, ...rest }: Bundle, tsa?: string) => {
      const { status, output } = pythonBundle(JSON.stringify(timestamp ? { ...rest, timestamp } : rest), bundle.vkey, tsa ? { tsa } : {});
      return `${status} ${output}`;
    };
    const { timestamp: _, ...without } = bundle;
    const flipped = (at: number) => {
      const token = Buffer.from(bundle.timestamp?.token as string, 'base64');
      token.writeUInt8((token.at(at) as number) ^ 1, at < 0 ? token.length + at : at);
      return { ...bundle, timestamp: { token: token.toString('base64') } };
    };
    expect(verdict(bundle, authority.certificate)).toMatch(/^0 verified[\s\S]*timestamped at 20/);
    expect(verdict(bundle)).toMatch(/^0 [\s\S]*not proven: the timestamp in the bundle was not checked/);
    expect(verdict(without, authority.certificate)).toBe('1 refused: the bundle has no timestamp\n');
    for (const certificate of [other.certificate, authority.file('ca.pem')])
      expect(verdict(bundle, certificate)).toBe('1 refused: the timestamp is not of the pinned certificate\n');
    expect(verdict(flipped(-1), authority.certificate)).toBe('1 refused: openssl refuses the timestamp under the pinned certificate\n');
    expect(verdict(flipped(100), authority.certificate)).toMatch(/^1 refused: /);
    expect(verdict({ ...bundle, timestamp: { token: 'AAAA' } }, authority.certificate)).toMatch(/^1 refused: /);
    const token = {
      token: grantedToken(await authority.reply(timestampRequest(Buffer.from('other'), newNonce())))?.toString('base64') as string,
    };
    expect(verdict({ ...bundle, timestamp: token }, authority.certificate)).toBe('1 refused: the timestamp is of other bytes\n');
  });

  test('are signed all the same while the authority fails, lies or hangs, and only the newest is timestamped afterwards', async () => {
    const faults = [
      () => 'hang' as const,
      () => 'refuse' as const,
      () => Buffer.from('<html>no token</html>'),
      (reply: Buffer) => Buffer.concat([reply.subarray(0, -1), Buffer.of((reply.at(-1) as number) ^ 1)]),
      () => readFileSync(authority.file('replayed.tsr')),
    ];
    writeFileSync(authority.file('replayed.tsr'), await authority.reply(timestampRequest(Buffer.from('other'), newNonce())));
    let fault = 0;
    authority.behave = (reply) => (faults[fault++ % faults.length] as (typeof faults)[number])(reply);
    const before = await sizeNow();
    const failures = platform.process.logged('timestamp_failed');
    for (let n = 0; n < 3; n++) {
      await write();
      await until('checkpoint', async () => ((await sizeNow()) > before + n ? true : undefined));
    }
    await until('two failures', async () => (platform.process.logged('timestamp_failed') >= failures + 2 ? true : undefined));
    const during = await auditor.request<Stamped>('GET', `/v1/audit/timestamp?size=${before + 1}`);
    expect(during.status).toBe(404);
    const answered = authority.answered;
    authority.behave = () => undefined;
    const size = await sizeNow();
    expect((await stampedFrom(before + 1)).size).toBeGreaterThanOrEqual(size);
    expect(authority.answered).toBeLessThanOrEqual(answered + 2);
  });

  test('need both settings, and a certificate for timestamps', async () => {
    const wrong = async (env: Record<string, string>) => {
      const broken = await EmbeddedPlatform.create(env);
      try {
        broken.process.start();
        await broken.process.exit();
        return broken.process.output;
      } finally {
        await broken.close();
      }
    };
    expect(await wrong({ COUNTERSIGN_TIMESTAMP_URL: authority.url })).toContain('set both, or neither');
    const pinned = { COUNTERSIGN_TIMESTAMP_URL: authority.url, COUNTERSIGN_TIMESTAMP_CERTIFICATE: authority.file('ca.pem') };
    expect(await wrong(pinned)).toContain('is not the certificate of a time-stamping authority');
  });
});
