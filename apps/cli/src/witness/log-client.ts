import { type CoveredHeads, type ServedEntries, tilePath } from '@countersign/proofs';

const TIMEOUT_MS = 30_000;

/** The log is unavailable, rejects the request or has no checkpoint yet. Retry later. */
export class LogUnavailable extends Error {}

/** A page of leaves, as `/v1/audit/leaves` has it. Records of other tenants are hashes. */
export interface ServedLeaves {
  first: number;
  leaves: {
    leaf: string;
    record?: { timestamp_ms: number; key: string | null; headers: Record<string, string>; value: string };
  }[];
  schemas: Record<string, string>;
}

/** The audit routes of a gateway, as a witness and a verifier use them. */
export class LogClient {
  private readonly base: string;

  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.base = url.replace(/\/$/, '');
  }

  /** The note of the newest checkpoint. @throws LogUnavailable */
  async checkpoint(): Promise<string> {
    return (await this.ask('checkpoint', 'its checkpoint')).text();
  }

  /** A page of the entries after the checkpoint of this size, at most up to the one of size `second`. @throws LogUnavailable */
  async entries(first: number, second: number): Promise<ServedEntries> {
    const page = await this.json<ServedEntries>(`entries?first=${first}&second=${second}`, 'its entries');
    if (page.entries?.length === 0) throw new LogUnavailable(`the log serves no entries after checkpoint ${first} yet`);
    return page;
  }

  /** Leaves of a partition from an offset on. @throws LogUnavailable */
  leaves(topic: string, partition: number, first: number): Promise<ServedLeaves> {
    return this.json(`leaves?topic=${encodeURIComponent(topic)}&partition=${partition}&first=${first}`, 'the leaves of a partition');
  }

  /** The hashes of a tile of leaves. @throws LogUnavailable */
  async leafTile(tree: string, index: number, width: number): Promise<Buffer> {
    const path = tilePath({ level: 0, index, width });
    const answer = await this.ask(`tile/${tree.split('/').map(encodeURIComponent).join('/')}/${path}`, 'a tile');
    return Buffer.from(await answer.arrayBuffer());
  }

  /** The heads that the checkpoint of this size covers. @throws LogUnavailable */
  heads(size: number): Promise<CoveredHeads> {
    return this.json(`heads?size=${size}`, 'the heads of a checkpoint');
  }

  /** Submits the cosigned note. @throws LogUnavailable if it is refused. */
  async cosigned(note: string): Promise<void> {
    await this.ask('cosignatures', 'the cosignature (is this witness among COUNTERSIGN_AUDIT_WITNESSES?)', { note });
  }

  private async json<T>(path: string, what: string): Promise<T> {
    const answer = await this.ask(path, what);
    try {
      return (await answer.json()) as T;
    } catch (cause) {
      throw new LogUnavailable(`the response of the log to ${path} is truncated: ${(cause as Error).message}`);
    }
  }

  private async ask(path: string, what: string, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' as const };
    const answer = await fetch(
      `${this.base}/v1/audit/${path}`,
      body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) },
    ).catch((cause: Error) => {
      throw new LogUnavailable(`${this.base} does not respond: ${cause.message}`);
    });
    if (answer.ok) return answer;
    if (answer.status === 503) throw new LogUnavailable('the log has no checkpoint yet');
    throw new LogUnavailable(`the log rejected ${what}: ${answer.status}${await detailOf(answer)}`);
  }
}

async function detailOf(answer: Response): Promise<string> {
  const problem = (await answer.json().catch(() => ({}))) as { detail?: unknown };
  return typeof problem.detail === 'string' ? `, ${problem.detail.slice(0, 500)}` : '';
}
