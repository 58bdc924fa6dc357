import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const PRODUCE = 0;
const LENGTH_BYTES = 4;
const TRICKLE_BYTES = 128 * 1024;
const TRICKLE_MS = 100;

/**
 * The fate of the reply to a request that the broker has already executed. `halve`: its first half arrives, then the connection is
 * closed; `reset`: the same, with a reset; `garble`: its length field says two gigabytes; `shorten`: its length field says two bytes;
 * `trickle`: all of it arrives, at about 1 MB a second.
 */
export type ReplyFate = 'deliver' | 'cut' | 'swallow' | 'halve' | 'reset' | 'garble' | 'shorten' | 'trickle';

/** A reply on its way to a client. */
export interface Reply {
  /** API key of the request (0: produce, 1: fetch, 3: metadata). */
  api: number;
  bytes: number;
}

/**
 * A TCP proxy for one broker that parses Kafka's messages, for tests of lost replies and lost networks. Addresses in replies are
 * rewritten to the proxy's own, so that a client that bootstraps here stays here.
 */
export class BrokerProxy {
  /** Decides the fate of each reply to a produce request, whose records are already stored. */
  produceReply: () => ReplyFate = () => 'deliver';
  /** Decides the fate of each other reply. */
  otherReply: (reply: Reply) => ReplyFate = () => 'deliver';
  replies_lost = 0;
  /** Most produce requests that one connection had outstanding at a time. */
  sends_at_once_max = 0;
  private readonly sockets = new Set<Socket>();
  private frozen = false;

  private constructor(
    private readonly server: Server,
    private readonly host: string,
    private readonly port: number,
  ) {}

  static async before(broker: string): Promise<BrokerProxy> {
    const [host = '', port = ''] = broker.split(':');
    const server = createServer();
    const proxy = new BrokerProxy(server, host, Number(port));
    server.on('connection', (client) => proxy.link(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${this.ownPort}`;
  }

  /** No byte passes and neither side is notified, as in a network that lost its route. */
  freeze(): void {
    this.frozen = true;
  }

  /** Cuts every earlier connection; new ones pass. */
  thaw(): void {
    this.frozen = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private get ownPort(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private link(client: Socket): void {
    const broker = connect({ host: this.host, port: this.port, noDelay: true });
    /** API keys of outstanding requests, by correlation id. */
    const kinds = new Map<number, number>();
    const requests = new Frames((frame) => {
      kinds.set(frame.readInt32BE(LENGTH_BYTES + 4), frame.readInt16BE(LENGTH_BYTES));
      const sends = [...kinds.values()].filter((kind) => kind === PRODUCE).length;
      this.sends_at_once_max = Math.max(this.sends_at_once_max, sends);
      if (!this.frozen) broker.write(frame);
    });
    const replies = new Frames((frame) => {
      const number = frame.readInt32BE(LENGTH_BYTES);
      const kind = kinds.get(number);
      kinds.delete(number);
      this.reply(client, frame, kind);
    });
    for (const [from, to, frames] of [
      [client, broker, requests],
      [broker, client, replies],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (chunk: Buffer) => frames.push(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        if (!this.frozen) to.destroy();
      });
    }
  }

  private reply(client: Socket, frame: Buffer, kind: number | undefined): void {
    if (this.frozen || client.destroyed) return;
    const fate = kind === PRODUCE ? this.produceReply() : this.otherReply({ api: kind ?? -1, bytes: frame.length });
    if (fate !== 'deliver' && fate !== 'trickle') this.replies_lost++;
    switch (fate) {
      case 'deliver':
        client.write(this.readdressed(frame));
        return;
      case 'trickle':
        trickle(client, this.readdressed(frame));
        return;
      case 'cut':
        client.destroy();
        return;
      case 'halve':
        client.end(frame.subarray(0, frame.length >> 1));
        return;
      case 'reset':
        client.write(frame.subarray(0, frame.length >> 1), () => client.resetAndDestroy());
        return;
      case 'garble':
        frame.writeInt32BE(2 ** 31 - 1, 0);
        client.write(frame);
        return;
      case 'shorten':
        frame.writeInt32BE(2, 0);
        client.write(frame.subarray(0, LENGTH_BYTES + 2));
        return;
      case 'swallow':
    }
  }

  private readdressed(frame: Buffer): Buffer {
    const theirs = addressBytes(this.host, this.port);
    const ours = addressBytes(this.host, this.ownPort);
    for (let at = frame.indexOf(theirs); at >= 0; at = frame.indexOf(theirs, at + 1)) ours.copy(frame, at);
    return frame;
  }
}

/** Sends the bytes in small pieces. */
function trickle(client: Socket, bytes: Buffer): void {
  client.write(bytes.subarray(0, TRICKLE_BYTES));
  const rest = bytes.subarray(TRICKLE_BYTES);
  if (rest.length > 0 && !client.destroyed) setTimeout(() => trickle(client, rest), TRICKLE_MS).unref();
}

/** Splits a stream into Kafka's length-prefixed messages. */
class Frames {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly take: (frame: Buffer) => void) {}

  push(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.rest.readInt32BE(0);
      if (this.rest.length < end) return;
      this.take(this.rest.subarray(0, end));
      this.rest = this.rest.subarray(end);
    }
  }
}

/** A host and port as encoded in metadata and coordinator replies. */
function addressBytes(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(2 + host.length + 4);
  bytes.writeInt16BE(host.length, 0);
  bytes.write(host, 2);
  bytes.writeInt32BE(port, 2 + host.length);
  return bytes;
}
