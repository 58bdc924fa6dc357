import { UnreachableError } from './answer.js';
import type { Positions } from './positions.js';
import type { Reachability } from './reachability.js';
import type { SessionStore } from './session.js';

const SAFE = new Set(['GET', 'HEAD']);

/** Sends requests in the session of the browser: its cookie, its token for what changes something, and the positions it has seen. */
export class Sender {
  constructor(
    private readonly session: SessionStore,
    private readonly positions: Positions,
    private readonly reachability: Reachability,
  ) {}

  readonly send = async (request: Request): Promise<Response> => {
    const token = this.session.request_token;
    if (token !== undefined && !SAFE.has(request.method)) request.headers.set('countersign-session', token);
    const position = this.positions.header();
    if (position !== undefined) request.headers.set('countersign-position', position);
    const response = await this.fetched(request);
    this.positions.record(response.headers.get('countersign-position'));
    if (response.status === 401) this.session.refused();
    return response;
  };

  private async fetched(request: Request): Promise<Response> {
    try {
      const response = await fetch(request);
      this.reachability.reached();
      return response;
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      this.reachability.failed();
      throw new UnreachableError();
    }
  }
}
