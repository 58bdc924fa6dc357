import type { Socket } from 'node:net';
import { countedAddress, type TrustedProxies } from '@countersign/process';
import { BoundedCounts } from './bounded-counts.js';

/** An open connection. */
export interface Connection {
  /** The key under which its requests are counted, unless a trusted proxy sent them. */
  readonly address: string;
  readonly is_proxy: boolean;
  /** Called when the connection closes, regardless of its requests. */
  readonly on_close: Set<() => void>;
}

export type RefusedConnection = 'connections_total' | 'connections_address';

/** Open connections, capped in total and by address. Those of trusted proxies carry many clients and count in the total only. */
export class Connections {
  private readonly open = new WeakMap<Socket, Connection>();
  private readonly by_address: BoundedCounts;
  private total = 0;

  constructor(
    private readonly caps: { connections_max: number; connections_per_address_max: number },
    private readonly proxies: TrustedProxies,
  ) {
    this.by_address = new BoundedCounts(caps.connections_per_address_max);
  }

  get size(): number {
    return this.total;
  }

  /** Counts a connection until it closes. @returns why it must be closed instead. */
  admit(socket: Socket): RefusedConnection | undefined {
    const { remoteAddress } = socket;
    const address = countedAddress(remoteAddress);
    const is_proxy = this.proxies.trusts(remoteAddress);
    if (this.total >= this.caps.connections_max) return 'connections_total';
    if (!is_proxy && !this.by_address.add(address, 1)) return 'connections_address';
    this.total += 1;
    const connection: Connection = { address, is_proxy, on_close: new Set() };
    this.open.set(socket, connection);
    socket.once('close', () => this.closed(connection));
    return undefined;
  }

  of(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  private closed({ address, is_proxy, on_close }: Connection): void {
    this.total -= 1;
    if (!is_proxy) this.by_address.remove(address, 1);
    for (const release of on_close) release();
    on_close.clear();
  }
}
