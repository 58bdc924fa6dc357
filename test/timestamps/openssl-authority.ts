import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CONFIG = `
[ca]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
[stamp]
basicConstraints = CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = own
[own]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`;

/** How a request is answered; undefined: with what openssl made of it. */
export type Behave = (reply: Buffer) => Buffer | 'refuse' | 'hang' | undefined;

/** A time-stamping authority over HTTP: `openssl ts -reply`, with a certificate of its own certificate authority. */
export class OpensslAuthority {
  /** Number of answered requests. */
  answered = 0;
  behave: Behave = () => undefined;
  private server: Server | undefined;

  private constructor(readonly dir: string) {}

  /** `key`: as `openssl req -newkey` names it, with its options. */
  static async start(name: string, key: readonly string[] = ['rsa:2048']): Promise<OpensslAuthority> {
    const authority = new OpensslAuthority(mkdtempSync(path.join(tmpdir(), 'authority-')));
    writeFileSync(authority.file('openssl.cnf'), CONFIG);
    writeFileSync(authority.file('serial'), '01\n');
    await authority.makeCertificates(name, key);
    await authority.listen();
    return authority;
  }

  file(name: string): string {
    return path.join(this.dir, name);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}/tsa`;
  }

  /** The authority's own certificate, in PEM. */
  get certificate(): string {
    return this.file('stamp.pem');
  }

  private async makeCertificates(name: string, key: readonly string[]): Promise<void> {
    await this.openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'ca.key', '-out', 'ca.csr', '-subj', `/CN=${name} root`);
    await this.openssl(
      'x509',
      '-req',
      '-in',
      'ca.csr',
      '-signkey',
      'ca.key',
      '-days',
      '30',
      '-extfile',
      'openssl.cnf',
      '-extensions',
      'ca',
      '-out',
      'ca.pem',
    );
    await this.openssl('req', '-newkey', ...key, '-nodes', '-keyout', 'stamp.key', '-out', 'stamp.csr', '-subj', `/CN=${name}`);
    const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30'];
    await this.openssl(
      'x509',
      '-req',
      '-in',
      'stamp.csr',
      ...issued,
      '-extfile',
      'openssl.cnf',
      '-extensions',
      'stamp',
      '-out',
      'stamp.pem',
    );
  }

  async openssl(...args: string[]): Promise<string> {
    const { stdout, stderr } = await run('openssl', args, { cwd: this.dir });
    return stdout + stderr;
  }

  /** What this authority answers to a request (RFC 3161). */
  async reply(request: Buffer): Promise<Buffer> {
    writeFileSync(this.file('request.tsq'), request);
    const signer = ['-signer', 'stamp.pem', '-inkey', 'stamp.key', '-chain', 'ca.pem'];
    await this.openssl('ts', '-reply', '-config', 'openssl.cnf', '-queryfile', 'request.tsq', ...signer, '-out', 'reply.tsr');
    return readFileSync(this.file('reply.tsr'));
  }

  /** Whether openssl verifies this token over these bytes. */
  async verifies(token: Buffer, bytes: Buffer): Promise<boolean> {
    writeFileSync(this.file('token.der'), token);
    writeFileSync(this.file('bytes'), bytes);
    const verified = await this.openssl('ts', '-verify', '-data', 'bytes', '-in', 'token.der', '-token_in', '-CAfile', 'ca.pem').catch(
      () => '',
    );
    return verified.includes('Verification: OK');
  }

  private async listen(): Promise<void> {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const reply = await this.reply(Buffer.concat(parts));
      const act = this.behave(reply) ?? reply;
      this.answered++;
      if (act === 'refuse') response.writeHead(503).end();
      else if (act !== 'hang') response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(act);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.server = server;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(undefined));
    rmSync(this.dir, { recursive: true, force: true });
  }
}
