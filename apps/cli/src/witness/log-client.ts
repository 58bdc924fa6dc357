import type { ServedConsistency } from './seen.js';

const TIMEOUT_MS = 10_000;

/** What the log answered that is no checkpoint: it is away, or has none yet. */
export class LogAway extends Error {}

/** The audit routes of a gateway, as a witness uses them. */
export class LogClient {
  constructor(
    private readonly base: string,
    private readonly token: string,
  ) {}

  private async ask(path: string, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const init = { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' as const };
    const answer = await fetch(
      `${this.base}/v1/audit/${path}`,
      body === undefined ? init : { ...init, method: 'POST', body: JSON.stringify(body) },
    ).catch((cause: Error) => {
      throw new LogAway(`${this.base} does not answer: ${cause.message}`);
    });
    if (answer.status === 503) throw new LogAway('the log has no checkpoint to show yet');
    return answer;
  }

  /** The note of the newest checkpoint. @throws LogAway */
  async checkpoint(): Promise<string> {
    const answer = await this.ask('checkpoint');
    if (!answer.ok) throw new LogAway(`the log refuses its checkpoint: ${answer.status}`);
    return answer.text();
  }

  /** The proof from a checkpoint to the newest; undefined where the log knows no such checkpoint. @throws LogAway */
  async consistency(first: number): Promise<ServedConsistency | undefined> {
    const answer = await this.ask(`consistency?first=${first}`);
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new LogAway(`the log refuses a consistency proof: ${answer.status}`);
    return (await answer.json()) as ServedConsistency;
  }

  /** Hands the cosigned note in. @throws LogAway where it is not taken. */
  async cosigned(note: string): Promise<void> {
    const answer = await this.ask('cosignatures', { note });
    if (!answer.ok) throw new LogAway(`the cosignature is refused (${answer.status}): is this witness among COUNTERSIGN_AUDIT_WITNESSES?`);
  }
}
