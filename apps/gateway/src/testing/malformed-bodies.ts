import { Mulberry32 } from '@countersign/domain/mulberry32';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const ACCEPT = { accept: 'application/json, text/event-stream' };
const METHODS = [
  'tools/list',
  'tools/call',
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'notifications/cancelled',
  'x',
  '',
];
/** Values of every type, and texts that break careless code. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
  [],
  [[]],
  {},
  { a: 1 },
  ['__proto__'],
];

const valid = (method: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    name: 'write_note',
    arguments: { path: 'a', text: 'b' },
    _meta: {
      [`${META}protocolVersion`]: REVISION,
      [`${META}clientInfo`]: { name: 'x', version: '1' },
      [`${META}clientCapabilities`]: {},
    },
  },
});

export interface Message {
  body: string;
  headers: Record<string, string>;
}

type Members = Record<string, unknown>;

/** Messages to `/mcp` that are nearly right, or not at all; the same ones for the same seed. */
export class MalformedBodies {
  private readonly numbers: Mulberry32;

  constructor(readonly seed: number) {
    this.numbers = new Mulberry32(seed);
  }

  /** A message that is right. */
  get valid(): Message {
    return { body: JSON.stringify(valid('tools/list')), headers: this.headersOf('tools/list') };
  }

  next(): Message {
    const method = this.oneOf(METHODS);
    const headers = this.random() < 0.7 ? this.headersOf(method) : this.someHeaders();
    return { body: this.body(method), headers };
  }

  private body(method: string): string {
    switch (this.below(6)) {
      case 0:
        return this.cut(JSON.stringify(valid(method)));
      case 1:
        return JSON.stringify(this.oneOf(VALUES));
      case 2:
        return JSON.stringify(Array.from({ length: this.below(5) }, () => valid(method)));
      case 3:
        return `${'['.repeat(this.below(2_000))}${']'.repeat(this.below(2_000))}`;
      default:
        return JSON.stringify(this.mutated(valid(method), 1 + this.below(3)));
    }
  }

  /** Replaces, removes or adds members at random places. */
  private mutated(message: Members, times: number): Members {
    for (let n = 0; n < times; n++) {
      const place = this.placeIn(message);
      const name = this.oneOf([...Object.keys(place), 'id', 'method', 'params', 'progressToken', 'cursor', 'requestState']);
      if (this.random() < 0.3) delete place[name];
      else place[name] = structuredClone(this.oneOf(VALUES));
    }
    return message;
  }

  private placeIn(message: Members): Members {
    const below = Object.values(message).filter(
      (value): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value),
    );
    return below.length === 0 || this.random() < 0.4 ? message : this.placeIn(this.oneOf(below));
  }

  private cut(text: string): string {
    const at = this.below(text.length);
    return this.random() < 0.5 ? text.slice(0, at) : `${text.slice(0, at)}${this.oneOf(['}', '"', '\\u', '\n', ',,'])}${text.slice(at)}`;
  }

  private headersOf(method: string): Record<string, string> {
    return { ...ACCEPT, 'mcp-protocol-version': REVISION, 'mcp-method': method || 'x', 'mcp-name': 'write_note' };
  }

  private someHeaders(): Record<string, string> {
    const given: Record<string, string> = { ...(this.random() < 0.8 ? ACCEPT : {}) };
    for (const name of [
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'last-event-id',
      'countersign-case',
      'countersign-run',
    ])
      if (this.random() < 0.4) given[name] = this.oneOf([REVISION, '2025-11-25', 'x', '=?base64?AA==?=', ' ', 'x'.repeat(300)]);
    return given;
  }

  private random(): number {
    return this.numbers.unit();
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }

  private oneOf<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}
