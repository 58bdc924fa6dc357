import { ToolError } from '@countersign/tool-kit';
import type { Values } from '../hermes/port.js';
import type { TrytonRpc } from './tryton-rpc.js';
import { decoded, encoded, type FieldType } from './tryton-values.js';

const TYPES_KEPT_MS = 600_000;

/** Reads and writes records of Tryton's models in plain JSON. */
export class TrytonModels {
  private readonly types = new Map<string, { at_ms: number; fields: Promise<ReadonlyMap<string, FieldType>> }>();

  constructor(private readonly rpc: TrytonRpc) {}

  async search(
    model: string,
    domain: unknown[],
    names: readonly string[],
    limit: number,
    signal: AbortSignal,
    context: Values = {},
  ): Promise<Values[]> {
    const order = [['id', 'ASC']];
    return decoded(await this.rpc.call(`${model}.search_read`, [domain, 0, limit, order, names], signal, context)) as Values[];
  }

  async create(model: string, values: Values, signal: AbortSignal): Promise<number> {
    const record = await encoded(model, values, (of) => this.typesOf(of, signal));
    const [id] = await this.rpc.call<number[]>(`${model}.create`, [[record]], signal);
    if (typeof id !== 'number') throw new ToolError('PROVIDER_ERROR', 'Tryton answered no id for the new record', { class: 'server' });
    return id;
  }

  /** @param timestamp the `_timestamp` that was read: the write is refused if somebody wrote since */
  async write(model: string, id: number, values: Values, signal: AbortSignal, timestamp?: string): Promise<void> {
    const record = await encoded(model, values, (of) => this.typesOf(of, signal));
    await this.rpc.call(`${model}.write`, [[id], record], signal, unchangedSince(model, id, timestamp));
  }

  /** A button of the model, such as `confirm`. @param timestamp as in `write` */
  async press(model: string, id: number, button: string, signal: AbortSignal, timestamp?: string): Promise<void> {
    await this.rpc.call(`${model}.${button}`, [[id]], signal, unchangedSince(model, id, timestamp));
  }

  /** Whether the database of Tryton ends what runs for longer than this. False without the module `countersign_guard`. */
  async endsWithin(limit_ms: number, signal: AbortSignal): Promise<boolean> {
    const found = await this.rpc
      .call<Record<string, number>>('countersign.guard.timeouts', [], signal)
      .catch((error: ToolError): Record<string, number> => {
        if (error.more?.class === 'authorization') return {};
        throw error;
      });
    const names = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    return names.every((name) => (found[name] ?? 0) > 0 && (found[name] as number) <= limit_ms);
  }

  private typesOf(model: string, signal: AbortSignal): Promise<ReadonlyMap<string, FieldType>> {
    const known = this.types.get(model);
    if (known && performance.now() - known.at_ms < TYPES_KEPT_MS) return known.fields;
    const fields = this.rpc
      .call<Record<string, FieldType>>(`${model}.fields_get`, [null], signal)
      .then((found) => new Map(Object.entries(found)));
    this.types.set(model, { at_ms: performance.now(), fields });
    fields.catch(() => this.types.delete(model));
    return fields;
  }
}

/** The context with which Tryton refuses a write of what somebody wrote since. */
const unchangedSince = (model: string, id: number, timestamp: string | undefined): Values =>
  timestamp === undefined ? {} : { _timestamp: { [`${model},${id}`]: timestamp } };
