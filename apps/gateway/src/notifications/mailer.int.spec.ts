import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Mailer } from './mailer.js';

/** Accepts mails one after another (RFC 5321); responds to RCPT with a code that the spec sets. */
class SmtpServer {
  readonly mails: string[] = [];
  rcpt_code = 250;
  private readonly server: Server = createServer((socket) => {
    let data: string | undefined;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 test');
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (const line of bytes.toString('utf8').split('\r\n')) {
        if (data !== undefined) {
          if (line === '.') {
            this.mails.push(data);
            data = undefined;
            say('250 taken');
          } else data += `${line}\n`;
        } else if (line.startsWith('RCPT')) say(`${this.rcpt_code} rcpt`);
        else if (line.startsWith('DATA')) {
          data = '';
          say('354 go on');
        } else if (line.startsWith('QUIT')) socket.end('221 bye\r\n');
        else if (line !== '') say('250 ok');
      }
    });
  });

  listen = () => new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
  close = () => new Promise<unknown>((done) => this.server.close(done));
  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}?ignoreTLS=true`;
  }
}

const mail = { to: 'ann@example.org', subject: 'pay needs an approval', text: 'Decide: https://gate.example/x', id: 'event-1.w' };
let smtp: SmtpServer;
let mailer: Mailer;
beforeEach(async () => {
  smtp = new SmtpServer();
  await smtp.listen();
  mailer = new Mailer(smtp.url, 'gate@example.org');
});
afterEach(async () => {
  mailer.close();
  await smtp.close();
});

test('a mail has the same id in every attempt', async () => {
  expect(await mailer.send(mail)).toEqual({ taken: 'taken', status: null, error: null });
  expect(await mailer.send(mail)).toEqual({ taken: 'taken', status: null, error: null });
  expect(smtp.mails).toHaveLength(2);
  for (const text of smtp.mails) expect(text).toMatch(/Message-ID: <event-1\.w@countersign>/i);
  expect(smtp.mails[0]).toContain('Decide: https://gate.example/x');
});

test('a permanent refusal of the server is not retried; a temporary one is', async () => {
  smtp.rcpt_code = 550;
  expect(await mailer.send(mail)).toEqual({ taken: 'refused', status: 550, error: 'refused_by_receiver' });
  smtp.rcpt_code = 451;
  expect(await mailer.send(mail)).toEqual({ taken: 'try_again', status: 451, error: 'refused_by_receiver' });
});

test('without a server nothing is sent, and an unavailable server is retried', async () => {
  expect(await new Mailer(undefined, 'x').send(mail)).toEqual({ taken: 'refused', status: null, error: 'no_mail_server' });
  expect(await new Mailer('smtp://127.0.0.1:1', 'x').send(mail)).toEqual({ taken: 'try_again', status: null, error: 'connection_failed' });
});
