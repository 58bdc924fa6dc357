import type { Readable } from '@countersign/calls';
import type { CallState } from '@countersign/domain';
import { LRUCache } from 'lru-cache';
import { type CallOutcomes, isKnown } from './call-outcomes.js';

/** Bytes of the outputs in memory. Others are read from the views. */
const BYTES_MAX = 16 * 1024 * 1024;

/** The output of an ended call, as its record has it: personal data is encrypted. */
export interface CallOutput {
  output_json: string | null;
  /** The output is only a part of what the tool returned. */
  truncated: boolean;
  markings: readonly string[];
}

function outputOf({ end, call }: CallState): CallOutput {
  const { output_json = null, truncated = false } = end?.outcome ?? {};
  return { output_json, truncated, markings: call?.authority?.markings ?? [] };
}

/** Outputs of calls: those that ended recently from memory, others from the views. */
export class CallOutputs {
  private readonly recent = new LRUCache<string, CallOutput>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ output_json }) => 200 + (output_json?.length ?? 0) * 2,
  });

  constructor(
    private readonly outcomes: Pick<CallOutcomes, 'known'>,
    private readonly readable: Readable,
  ) {}

  /** Keeps the output of a call that has just ended. One in doubt has none yet: it may be resolved with one. */
  note(state: CallState): void {
    if (isKnown(state)) this.recent.set(`${state.tenant_id}/${state.call_id}`, outputOf(state));
  }

  /** The output of a call that took effect. @throws InfrastructureFault if it cannot be read now, or if the views are behind the log */
  async of(tenant_id: string, call_id: string): Promise<CallOutput> {
    const key = `${tenant_id}/${call_id}`;
    const known = this.recent.get(key);
    if (known) return known;
    const output = outputOf(await this.outcomes.known(tenant_id, call_id));
    this.recent.set(key, output);
    return output;
  }

  /** The value of a JSON text with personal data decrypted. Erased data stays encrypted: `hasErased`. */
  async evaluable(tenant_id: string, json: string): Promise<unknown> {
    return JSON.parse(await this.readable.evaluable(tenant_id, json)) as unknown;
  }

  /** Whether a part of an evaluable value is personal data that was erased. */
  hasErased(tenant_id: string, value: unknown): boolean {
    return this.readable.hasErased(tenant_id, value);
  }

  /** The JSON text with personal data decrypted; `erased` for erased data. */
  async opened(tenant_id: string, json: string): Promise<string> {
    return this.readable.text(tenant_id, json);
  }
}
