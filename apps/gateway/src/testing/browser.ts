import { request } from 'node:http';

export interface BrowserAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  set_cookies: string[];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of any shape
  body: any;
}

interface BrowserRequest {
  body?: unknown;
  headers?: Record<string, string>;
  /** Local address of the connection. */
  from?: string;
}

/** A page in a browser: keeps cookies and sends what a browser sends for a page of this origin. */
export class Browser {
  readonly jar = new Map<string, string>();
  request_token: string | undefined;
  readonly origin: string;

  constructor(
    private readonly port: number,
    /** Host in the address bar. */
    private readonly host = `127.0.0.1:${port}`,
  ) {
    this.origin = `http://${host}`;
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** A request of the page, with its origin and the token of its session. */
  send(method: string, path: string, { body, headers = {}, from }: BrowserRequest = {}): Promise<BrowserAnswer> {
    const own: Record<string, string> =
      method === 'GET' ? { 'sec-fetch-site': 'same-origin' } : { origin: this.origin, 'sec-fetch-site': 'same-origin' };
    const token: Record<string, string> = this.request_token && method !== 'GET' ? { 'countersign-session': this.request_token } : {};
    return this.raw(method, path, { body, headers: { ...own, ...token, ...headers }, ...(from === undefined ? {} : { from }) });
  }

  /** A request with these headers and the cookies. */
  async raw(method: string, path: string, { body, headers = {}, from }: BrowserRequest = {}): Promise<BrowserAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent: Record<string, string> = {
      host: this.host,
      ...(this.jar.size > 0 ? { cookie: this.cookie } : {}),
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...headers,
    };
    const answer = await exchange({ port: this.port, method, path, headers: sent, localAddress: from }, text);
    for (const cookie of answer.set_cookies) this.keep(cookie);
    return answer;
  }

  async signIn(key: string): Promise<BrowserAnswer> {
    const answer = await this.send('POST', '/v1/session', { body: { key } });
    this.request_token = answer.body?.request_token ?? this.request_token;
    return answer;
  }

  private keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (/Max-Age=0(;|$)/.test(cookie)) this.jar.delete(name);
    else this.jar.set(name, value);
  }
}

interface Sent {
  port: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  localAddress: string | undefined;
}

function exchange({ localAddress, ...sent }: Sent, body: string | undefined): Promise<BrowserAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', ...sent, ...(localAddress === undefined ? {} : { localAddress }) }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const is_json = /[/+]json/.test(incoming.headers['content-type'] ?? '') && text !== '';
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, set_cookies: headers['set-cookie'] ?? [], text, body: is_json ? JSON.parse(text) : undefined });
      });
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
