import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { TestedProcess } from './journeys/child-process.js';

/** The first byte of a TLS record that is a handshake. */
const TLS_HANDSHAKE = 0x16;
const API_VERSIONS = 18;

/** Answers ApiVersions (version 2: no error, the APIs of a login and of ACLs, not throttled) and nothing else. */
function answerVersions(socket: Socket, request: Buffer): void {
  if (request.length < 12 || request.readInt16BE(4) !== API_VERSIONS) return;
  const apis = [17, API_VERSIONS, 30, 36];
  const body = Buffer.alloc(4 + 4 + 2 + 4 + 6 * apis.length + 4);
  body.writeInt32BE(body.length - 4, 0);
  body.writeInt32BE(request.readInt32BE(8), 4);
  body.writeInt32BE(apis.length, 10);
  for (const [at, api] of apis.entries()) body.writeInt16BE(1, body.writeInt16BE(api, 14 + 6 * at) + 2);
  socket.write(body);
}

describe('scripts/real/acls.mjs', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Runs it against a broker that tells the versions that it takes; resolves with what it sent once that is enough. */
  async function sent(env: Record<string, string>, enough: (bytes: Buffer) => boolean): Promise<Buffer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const script = new TestedProcess('scripts/real/acls.mjs', {
      COUNTERSIGN_KAFKA_BROKERS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...env,
    });
    ends.push(
      () => script.stop('SIGKILL'),
      () => server.close(),
    );
    let bytes = Buffer.alloc(0);
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        answerVersions(socket, chunk);
      });
    });
    script.start();
    await script.until('it sent what is looked for', async () => enough(bytes));
    return bytes;
  }

  test('logs in by the mechanism of COUNTERSIGN_KAFKA_SASL', async () => {
    const login = { COUNTERSIGN_KAFKA_USERNAME: 'admin', COUNTERSIGN_KAFKA_PASSWORD: 'secret', COUNTERSIGN_KAFKA_SASL: 'scram-sha-512' };
    const reply = (await sent(login, (bytes) => bytes.includes('SCRAM') || bytes.includes('PLAIN'))).toString('latin1');
    expect(reply).toContain('SCRAM-SHA-512');
    expect(reply).not.toContain('secret');
  });

  test('speaks TLS where COUNTERSIGN_KAFKA_SSL says so', async () => {
    expect((await sent({ COUNTERSIGN_KAFKA_SSL: 'true' }, (bytes) => bytes.length > 0))[0]).toBe(TLS_HANDSHAKE);
  });

  test('names every variable that is wrong, and its options are held to the same rules', async () => {
    const env = {
      COUNTERSIGN_KAFKA_SASL: 'gssapi',
      COUNTERSIGN_KAFKA_SSL: 'yes',
      COUNTERSIGN_TOPIC_PREFIX: 'a b',
      COUNTERSIGN_LANES: 'No Lane',
    };
    const script = new TestedProcess('scripts/real/acls.mjs', env);
    script.start();
    expect(await script.exit()).toBe(1);
    for (const name of Object.keys(env)) expect(script.output).toContain(`${name}: `);
  });
});
