import { type RunContext, type Tool, ToolError } from '@countersign/tool-kit';
import PQueue from 'p-queue';
import { ROOT_SETTING } from './connection.js';
import { connectionIn } from './connection-file.js';

/** Runs for each request that the system takes at once: while one computes, another asks. */
const RUNS_FOR_EACH_REQUEST = 2;
/** Assumed of a run before one has ended. */
const FIRST_GUESS_MS = 500;
/** The weight of the newest run in the mean. */
const NEWEST = 1 / 16;
/** Of the time that a run has left when it begins, so much must remain for its own requests. */
const OWN_SHARE = 1 / 2;
const TENANTS_MAX = 64;

/**
 * Runs on the system of one customer. Only as many begin as it can serve: a run that has begun shares the system with few others and ends in
 * time. The others wait, and are refused before they have sent anything if their turn would come too late.
 */
export class Turns {
  private readonly queue: PQueue;
  private mean_ms = FIRST_GUESS_MS;

  constructor(private readonly at_once: number) {
    this.queue = new PQueue({ concurrency: at_once });
  }

  /** @throws ToolError RATE_LIMIT (effect `none`), which is retried */
  async within<T>(deadline_ms: number, run: () => Promise<T>): Promise<T> {
    const latest_ms = Date.now() + (deadline_ms - Date.now()) * OWN_SHARE;
    const wait_ms = (this.queue.size / this.at_once) * this.mean_ms;
    if (Date.now() + wait_ms > latest_ms) throw busy(wait_ms);
    return this.queue.add(() => {
      if (Date.now() > latest_ms) throw busy(this.mean_ms);
      return this.timed(run);
    });
  }

  private async timed<T>(run: () => Promise<T>): Promise<T> {
    const begun_ms = performance.now();
    try {
      return await run();
    } finally {
      this.mean_ms += (performance.now() - begun_ms - this.mean_ms) * NEWEST;
    }
  }
}

const busy = (wait_ms: number): ToolError =>
  new ToolError('RATE_LIMIT', 'too many calls wait for this business system', {
    retryable: true,
    retry_after_s: Math.max(1, Math.ceil(wait_ms / 1_000)),
    effect: 'none',
  });

/** By tenant and limit, the longest unused first. */
const turns = new Map<string, Turns>();

/** The turns of the tenant that calls; undefined: it works on its ledger, which needs none. */
async function turnsOf(ctx: RunContext): Promise<Turns | undefined> {
  const erp = await connectionIn(await ctx.tenantFolder(ROOT_SETTING));
  if (!erp) return undefined;
  const at_once = erp.limits.at_once * RUNS_FOR_EACH_REQUEST;
  const key = `${at_once} ${ctx.tenant_id}`;
  const known = turns.get(key) ?? new Turns(at_once);
  turns.delete(key);
  turns.set(key, known);
  if (turns.size > TENANTS_MAX) turns.delete(turns.keys().next().value as string);
  return known;
}

/** The same tool, whose runs take turns. */
export function inTurn(tool: Tool): Tool {
  const run = async (raw: never, ctx: RunContext): Promise<unknown> => {
    const of = await turnsOf(ctx);
    return of ? of.within(ctx.deadline_ms, async () => tool.run(raw, ctx)) : tool.run(raw, ctx);
  };
  return { ...tool, run };
}
