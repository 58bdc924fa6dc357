import { BlockList, isIP } from 'node:net';

/** The name for peers without an address: a Unix socket, or a connection that is already closed. */
const NO_ADDRESS = 'local';
const GROUPS = 8;

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const hex = dotted
    ? `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`
    : address;
  const [head = '', tail] = hex.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : new Array<string>(GROUPS - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16));
}

/** The canonical text of an address: an IPv4-mapped IPv6 address becomes its IPv4 address. Undefined if the text is no address. */
export function plainAddress(text: string): string | undefined {
  const address = text.split('%', 1)[0] as string;
  const family = isIP(address);
  if (family === 4) return address;
  if (family === 0) return undefined;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).some((group) => group !== '0') || groups[5] !== 'ffff') return groups.join(':');
  const [high, low] = [Number.parseInt(groups[6] as string, 16), Number.parseInt(groups[7] as string, 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * The name under which a peer is counted: its IPv4 address, or the first 64 bits of its IPv6 address, since one subscriber has a whole
 * /64.
 */
export function countedAddress(text: string | undefined): string {
  const plain = text === undefined ? undefined : plainAddress(text);
  if (plain === undefined) return NO_ADDRESS;
  return plain.includes(':') ? `${plain.split(':').slice(0, 4).join(':')}::/64` : plain;
}

/** Whether the peer is this machine. A Unix socket has no address and does not count as loopback: a proxy may use it. */
export function isLoopback(text: string | undefined): boolean {
  const plain = text === undefined ? undefined : plainAddress(text);
  return plain !== undefined && (plain.startsWith('127.') || plain === '0:0:0:0:0:0:0:1');
}

const RANGE = /^([^/]+)(?:\/(\d{1,3}))?$/;

/** Adds `address` or `address/bits`. @returns the fault of the text, if any. */
function addRange(list: BlockList, text: string): string | undefined {
  const [, address = '', bits] = RANGE.exec(text) ?? [];
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || Number(bits ?? most) > most) return `${text} is not an address or a range (10.0.0.0/8)`;
  list.addSubnet(address, Number(bits ?? most), family === 4 ? 'ipv4' : 'ipv6');
  return undefined;
}

/** Reverse proxies whose `X-Forwarded-For` is trusted. */
export class TrustedProxies {
  private readonly ranges = new BlockList();

  /** @throws if an item is not an address or a range; check with `faultOf` first. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const fault = addRange(this.ranges, range);
      if (fault) throw new RangeError(fault);
    }
  }

  /** The fault of a list of ranges; undefined if the list is valid. */
  static faultOf(ranges: readonly string[]): string | undefined {
    return ranges.map((range) => addRange(new BlockList(), range)).find((fault) => fault !== undefined);
  }

  trusts(text: string | undefined): boolean {
    const plain = text === undefined ? undefined : plainAddress(text);
    return plain !== undefined && this.ranges.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
  }

  /**
   * The sender of a request: the peer, or behind trusted proxies the last address of `X-Forwarded-For` that is no trusted proxy. The
   * client itself wrote everything before that address.
   */
  clientOf(peer: string | undefined, forwarded_for: string | undefined): string | undefined {
    if (forwarded_for === undefined || !this.trusts(peer)) return peer;
    let client = peer;
    for (const entry of forwarded_for.split(',').reverse()) {
      const address = addressOfEntry(entry.trim());
      if (address === undefined) return client;
      client = address;
      if (!this.trusts(address)) return client;
    }
    return client;
  }
}

/** An entry may carry a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOfEntry(entry: string): string | undefined {
  const bracketed = /^\[([^\]]*)\]/.exec(entry)?.[1];
  return plainAddress(bracketed ?? (/^[\d.]+:\d+$/.test(entry) ? (entry.split(':', 1)[0] as string) : entry));
}
