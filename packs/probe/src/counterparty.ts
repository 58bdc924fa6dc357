import { isToolError, type Reconciled, type RunContext, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';
import { draftedAt, payment } from './payment.js';

const SETTING = 'COUNTERSIGN_PROBE_URL';

/** Faults that the counterparty must simulate. */
const misbehaviour = z.strictObject({
  /** The response is sent this much later than the effect. */
  answer_delay_ms: z.int().min(0).max(120_000).optional(),
  /** The effect happens and the connection is dropped. */
  lose_answer: z.boolean().optional(),
  /** The connection is dropped and nothing happens. */
  lose_request: z.boolean().optional(),
});

/** A payment at the counterparty; `delay_ms` is the time before the effect, limited by the tool. */
export function orderShape(delay_ms_max: number) {
  const delay_ms = z.int().min(0).max(delay_ms_max).optional();
  return payment.extend({ drafted_at: draftedAt, delay_ms, ...misbehaviour.shape });
}

/** The output of an effect: its number at the counterparty, counted from 1. */
export const effectShape = z.strictObject({ ok: z.literal(true), seq: z.int(), key: z.string(), amount: z.int() });
/** The effect as stored by the counterparty. */
const keptShape = z.object({ seq: z.int(), key: z.string(), amount: z.int() });

export type Order = z.output<ReturnType<typeof orderShape>>;
export type Effect = z.output<typeof effectShape>;

/**
 * Requests the effect of this call's key from the counterparty: only `once` for a key, or `within_ms` or never.
 * @throws ToolError NETWORK_ERROR; effect `none` only if the connection was refused.
 */
export async function postEffect(order: Order, ctx: RunContext, how: { once?: boolean; within_ms?: number } = {}): Promise<Effect> {
  const { drafted_at: _, ...wanted } = order;
  const act_before_ms = how.within_ms === undefined ? undefined : machineMs() + how.within_ms;
  const body = JSON.stringify({ ...wanted, key: ctx.idempotency_key, once: how.once, act_before_ms });
  return answerOf(await ask(ctx, '/effect', { method: 'POST', body, headers: { 'content-type': 'application/json' } }));
}

/** The machine's monotonic clock, which all its processes share, independent of wall clocks. */
function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Whether the effect of this call's key exists. */
export async function effectOfKey(ctx: RunContext): Promise<Reconciled<Effect>> {
  const found = z.array(z.unknown()).parse(await ask(ctx, `/effects?key=${encodeURIComponent(ctx.idempotency_key)}`));
  return found.length > 0 ? { kind: 'happened', output: answerOf(found[0]) } : { kind: 'did_not_happen' };
}

function answerOf(kept: unknown): Effect {
  return { ok: true, ...keptShape.parse(kept) };
}

/** One request to the counterparty; returns its response as JSON. */
export async function ask(ctx: RunContext, path: string, init: RequestInit = {}): Promise<unknown> {
  const base = ctx.settings[SETTING];
  if (!base) throw new ToolError('PROVIDER_ERROR', `${SETTING} is not set`, { effect: 'none' });
  try {
    const response = await fetch(new URL(path, base), { ...init, signal: ctx.signal });
    if (response.ok) return await response.json();
    throw new ToolError('PROVIDER_ERROR', `the counterparty responded with status ${response.status}`);
  } catch (error) {
    throw asToolError(error, ctx);
  }
}

function asToolError(error: unknown, ctx: RunContext): ToolError {
  if (isToolError(error)) return error;
  if (ctx.signal.aborted) return new ToolError('TIMEOUT', 'no answer before the call was aborted');
  const code = (error as { cause?: { code?: unknown } }).cause?.code;
  if (code === 'ECONNREFUSED') return new ToolError('NETWORK_ERROR', 'the counterparty refused the connection', { effect: 'none' });
  return new ToolError('NETWORK_ERROR', `the connection to the counterparty was lost (${String(code ?? error)})`);
}
