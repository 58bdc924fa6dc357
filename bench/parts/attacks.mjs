// What a neighbour does to the platform, at a fixed rate, until it is ended. Each attack is {begin(), end()} and counts what it was answered.
import { connect } from 'node:net';
import { Pool } from 'undici';

const CALL_MS = 3_000;
/** An address of its own: what the attacker may open is not what the victim may. */
const FROM = '127.0.0.2';

const connectTo = ({ port, hostname }) => connect({ port: Number(port), host: hostname, localAddress: FROM });

/** Does something `per_s` times a second, whether or not what it did before has ended. */
class Rate {
  constructor(per_s, act) {
    this.act = act;
    this.pause_ms = 1000 / per_s;
  }

  begin() {
    const began = performance.now();
    let done = 0;
    this.timer = setInterval(() => {
      for (; done < (performance.now() - began) / this.pause_ms; done++) this.act(done);
    }, 5);
  }

  end() {
    clearInterval(this.timer);
  }
}

/** Statuses that were answered, by number; `cut` where the connection was closed. */
class Answers {
  counts = {};

  add(status) {
    this.counts[status] = (this.counts[status] ?? 0) + 1;
  }
}

/** Searches with patterns that keep a backtracking engine busy for ever, with ones that are slow on any engine, and with harmless ones. */
class RegexAttack {
  answers = new Answers();
  searches = [
    { query: '(a+)+$', files: 'long.txt' },
    { query: 'a[ab]{900}!', files: 'letters.txt' },
    { query: '^[a-z ]+ of [a-z]+ing$', files: 'docs/**' },
  ];

  constructor({ url, token, per_s }) {
    this.pool = new Pool(url, { connections: 200, pipelining: 1, localAddress: FROM });
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, prefer: 'wait=5' };
    this.rate = new Rate(per_s, (n) => this.search(n));
  }

  async search(n) {
    const inputs = { ...this.searches[n % this.searches.length], regex: true, limit: 500 };
    const body = JSON.stringify({ tool: 'search_content', inputs, deadline: new Date(Date.now() + CALL_MS).toISOString() });
    try {
      const { statusCode, body: answer } = await this.pool.request({ method: 'POST', path: '/v1/calls', headers: this.headers, body });
      const { status, error } = await answer.json();
      this.answers.add(statusCode === 200 ? `${status}${error ? ` ${error.code}` : ''}` : statusCode);
    } catch {
      this.answers.add('cut');
    }
  }

  async begin() {
    this.rate.begin();
  }

  async end() {
    this.rate.end();
    await this.pool.destroy();
  }
}

/** Opens idle streams of events, all of them on one call that waits for an approval. */
class StreamAttack {
  answers = new Answers();
  sockets = new Set();

  constructor({ url, token, per_s, streams }) {
    this.to = new URL(url);
    this.token = token;
    this.rate = new Rate(per_s, (n) => n < streams && this.open());
  }

  async begin() {
    const inputs = { account: 'acct-1', amount: 1, note: 'a call that waits' };
    const response = await fetch(new URL('/v1/calls', this.to), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.token}`, prefer: 'wait=0' },
      body: JSON.stringify({ tool: 'probe_approval', inputs }),
    });
    const { call_id } = await response.json();
    if (!call_id) throw new Error(`no call to look at: ${response.status}`);
    this.head = `GET /v1/calls/${call_id}/events HTTP/1.1\r\nhost: ${this.to.host}\r\nauthorization: Bearer ${this.token}\r\naccept: text/event-stream\r\n\r\n`;
    this.rate.begin();
  }

  open() {
    const socket = connectTo(this.to);
    this.sockets.add(socket);
    socket.on('error', () => this.answers.add('cut'));
    socket.on('close', () => this.sockets.delete(socket));
    socket.once('data', (bytes) => this.answers.add(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1] ?? 'cut'));
    socket.resume();
    socket.write(this.head);
  }

  async end() {
    this.rate.end();
    for (const socket of this.sockets) socket.destroy();
  }
}

const BODY_BYTES = 960_000;

/** Sends halves of bodies and waits, and large whole bodies; neither has a key. */
class BodyAttack {
  answers = new Answers();
  sockets = new Set();
  body = Buffer.from(JSON.stringify({ tool: 'probe_effect', inputs: { note: 'x'.repeat(BODY_BYTES) } }));

  constructor({ url, per_s, halves }) {
    this.to = new URL(url);
    this.halves = halves;
    this.rate = new Rate(per_s, () => this.send(this.body));
  }

  async begin() {
    for (let n = 0; n < this.halves; n++) this.send(this.body.subarray(0, this.body.length / 2));
    this.rate.begin();
  }

  send(bytes) {
    const socket = connectTo(this.to);
    this.sockets.add(socket);
    socket.on('error', () => this.answers.add('cut'));
    socket.on('close', () => this.sockets.delete(socket));
    socket.once('data', (head) => {
      this.answers.add(/^HTTP\/1\.1 (\d+)/.exec(head.toString('latin1'))?.[1] ?? 'cut');
      socket.destroy();
    });
    const type = 'content-type: application/json\r\n';
    socket.write(`POST /v1/calls HTTP/1.1\r\nhost: ${this.to.host}\r\n${type}content-length: ${this.body.length}\r\n\r\n`);
    socket.write(bytes);
  }

  async end() {
    this.rate.end();
    for (const socket of this.sockets) socket.destroy();
  }
}

export const attacks = { regex: RegexAttack, streams: StreamAttack, bodies: BodyAttack };
