import { sessionApi, type TypedApi } from '@countersign/client/typed-api';
import { QueryClient } from '@tanstack/query-core';
import { ProblemError } from './answer.js';
import { Invalidator } from './invalidator.js';
import { Positions } from './positions.js';
import { Reachability } from './reachability.js';
import { Sender } from './sender.js';
import { SessionStore } from './session.js';

const STALE_MS = 20_000;
const KEPT_MS = 5 * 60_000;
const RETRIES_MAX = 2;
const RETRY_LONGEST_MS = 10_000;

/** The gateway as this tab sees it: its API, who is signed in, and the answers that are kept. */
export class Gateway {
  readonly session = new SessionStore();
  readonly positions = new Positions();
  readonly reachability = new Reachability(() => fetch('/healthz', { cache: 'no-store' }));
  /** Every route, typed: `api.GET('/v1/calls/{call_id}', { params, signal })`. */
  readonly api: TypedApi;
  readonly queries = queryClient();
  readonly invalidator = new Invalidator(this.queries);
  /** Sends any request in this session. */
  readonly send: (request: Request) => Promise<Response>;
  /** What has to be sent while the session is still there; awaited before a sign-out. */
  readonly leaving = new Set<() => Promise<unknown>>();

  /** Whose answers are kept. */
  private person: string | undefined;

  constructor(origin: string) {
    const sender = new Sender(this.session, this.positions, this.reachability);
    this.send = sender.send;
    this.api = sessionApi(new URL(origin), sender.send);
    this.reachability.subscribe((is_reachable) => is_reachable && this.invalidator.everything());
  }

  /** Keeps the answers that were read for this person, and forgets those for anybody else. */
  claim(person: string): void {
    if (person !== this.person) this.forget();
    this.person = person;
  }

  forget(): void {
    this.queries.clear();
    this.positions.clear();
  }
}

function queryClient(): QueryClient {
  const problemOf = (error: unknown) => (error instanceof ProblemError ? error.problem : undefined);
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        gcTime: KEPT_MS,
        // the gateway may run on this machine: the browser's opinion of the network says nothing about it
        networkMode: 'always',
        retry: (failures, error) => failures < RETRIES_MAX && [429, 502, 503, 504].includes(problemOf(error)?.status ?? -1),
        retryDelay: (failures, error) => Math.min((problemOf(error)?.retry_after_s ?? 2 ** failures / 2) * 1000, RETRY_LONGEST_MS),
      },
    },
  });
}
