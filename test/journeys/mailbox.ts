import { createServer, connect as openSocket, type Server, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReadMail {
  headers: ReadonlyMap<string, string>;
  text: string;
}

/** A sent mail: headers unfolded, quoted-printable decoded. */
function parsed(source: string): ReadMail {
  const at = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]));
  const body = source.slice(at + 4);
  const quoted = headers.get('content-transfer-encoding') === 'quoted-printable';
  const bytes = (text: string) => text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { headers, text: quoted ? bytes(body.replaceAll('=\r\n', '')) : body };
}

/** Reads the mail of a user over POP3 (RFC 1939), as a mail client would. */
export class Mailbox {
  constructor(
    private readonly server: string,
    private readonly user: string,
    private readonly password: string,
  ) {}

  async mails(): Promise<ReadMail[]> {
    const [host, port] = this.server.split(':');
    const socket = openSocket(Number(port), host);
    try {
      return await this.read(socket);
    } finally {
      socket.destroy();
    }
  }

  private async read(socket: Socket): Promise<ReadMail[]> {
    const lines = new Lines(createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }));
    const say = (command: string) => socket.write(`${command}\r\n`);
    await lines.ok();
    for (const command of [`USER ${this.user}`, `PASS ${this.password}`]) {
      say(command);
      await lines.ok();
    }
    say('STAT');
    const count = Number((await lines.ok()).split(' ')[1]);
    const mails: ReadMail[] = [];
    for (let n = 1; n <= count; n++) {
      say(`RETR ${n}`);
      await lines.ok();
      mails.push(parsed(await lines.untilDot()));
    }
    say('QUIT');
    await lines.ok();
    return mails;
  }

  /** The matching mails, once there are enough. */
  async received(fits: (mail: ReadMail) => boolean, count = 1, within_ms = 20_000): Promise<ReadMail[]> {
    for (const until = Date.now() + within_ms; ; await sleep(200)) {
      const found = (await this.mails()).filter(fits);
      if (found.length >= count) return found;
      if (Date.now() > until) throw new Error(`${found.length} of ${count} mails within ${within_ms} ms`);
    }
  }
}

class Lines {
  private readonly iterator: AsyncIterator<string>;

  constructor(lines: Interface) {
    this.iterator = lines[Symbol.asyncIterator]();
  }

  async next(): Promise<string> {
    const { value, done } = await this.iterator.next();
    if (done) throw new Error('the mail server closed the connection');
    return value as string;
  }

  async ok(): Promise<string> {
    const line = await this.next();
    if (!line.startsWith('+OK')) throw new Error(`the mail server says ${line}`);
    return line;
  }

  async untilDot(): Promise<string> {
    const lines: string[] = [];
    for (let line = await this.next(); line !== '.'; line = await this.next()) lines.push(line.startsWith('..') ? line.slice(1) : line);
    return lines.join('\r\n');
  }
}

/** A proxy to a server that drops the first connections, like a restarting server. */
export class DroppingWay {
  dropped = 0;

  private constructor(
    private readonly server: Server,
    readonly open: Set<Socket>,
  ) {}

  static async to(address: string, drops: number): Promise<DroppingWay> {
    const [host, port] = address.split(':');
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      if (way.dropped < drops) {
        way.dropped++;
        socket.destroy();
        return;
      }
      const there = openSocket(Number(port), host);
      there.on('error', () => socket.destroy());
      socket.pipe(there).pipe(socket);
    });
    const way = new DroppingWay(server, open);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return way;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }
}
