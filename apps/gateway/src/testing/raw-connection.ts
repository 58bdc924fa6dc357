import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A raw connection, for requests that no HTTP client would send. */
export class RawConnection {
  text = '';
  closed = false;
  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async open(port: number, from = '127.0.0.1'): Promise<RawConnection> {
    const connection = new RawConnection(connect({ port, host: '127.0.0.1', localAddress: from }));
    await once(connection.socket, 'connect');
    return connection;
  }

  /** Sends the head of a POST and the given part of its body. */
  post(path: string, headers: Readonly<Record<string, string | number>>, body = ''): this {
    return this.send('POST', path, headers, body);
  }

  send(method: string, path: string, headers: Readonly<Record<string, string | number>>, body = ''): this {
    const lines = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
    return this;
  }

  /** Statuses of the responses so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** The last problem document. */
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  get problem(): any {
    return JSON.parse(this.text.slice(this.text.lastIndexOf('\r\n\r\n') + 4));
  }

  /** Waits for this number of responses, or until the connection closes. */
  async answered(count = 1): Promise<this> {
    await until(() => this.closed || (this.statuses.length >= count && !this.text.endsWith('\r\n')));
    return this;
  }

  async untilClosed(): Promise<this> {
    await until(() => this.closed);
    return this;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Waits for a state; the time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
