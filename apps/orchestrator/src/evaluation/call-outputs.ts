import { type Calls, type Readable, Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import { LRUCache } from 'lru-cache';

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
    private readonly calls: Pick<Calls, 'recorded'>,
    private readonly readable: Readable,
  ) {}

  /** Keeps the output of a call that has just ended. */
  note(state: CallState): void {
    this.recent.set(`${state.tenant_id}/${state.call_id}`, outputOf(state));
  }

  /** @throws InfrastructureFault if the call cannot be read now. */
  async of(tenant_id: string, call_id: string): Promise<CallOutput> {
    const known = this.recent.get(`${tenant_id}/${call_id}`);
    if (known) return known;
    const state = await this.calls.recorded.find(tenant_id, call_id);
    if (state instanceof Refusal) throw new InfrastructureFault(`the output of call ${call_id} cannot be read: ${state.detail}`);
    this.note(state);
    return outputOf(state);
  }

  /** The JSON text with personal data decrypted. */
  async opened(tenant_id: string, json: string): Promise<string> {
    return this.readable.text(tenant_id, json);
  }
}
