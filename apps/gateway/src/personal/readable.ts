import { SEALED } from '@countersign/contracts';
import { type CallState, type ConfigurationState, hasPersonal } from '@countersign/domain';
import type { Personal } from '@countersign/process';
import type { StreamOut } from '../http/call-stream.js';

/** What leaves this gateway, as its readers may see it: what is sealed is opened, or says `erased`. */
export class Readable {
  constructor(
    private readonly personal: Personal | undefined,
    private readonly configuration: { readonly state: ConfigurationState },
  ) {}

  /** For a test that does without. */
  static readonly plain = new Readable(undefined, { state: undefined as never });

  /** JSON text of a tenant; a promise only where something in it is sealed. */
  text(tenant_id: string, text: string): string | Promise<string> {
    return this.opens(tenant_id, text) ? (this.personal as Personal).text(tenant_id, text) : text;
  }

  value<T>(tenant_id: string, value: T): T | Promise<T> {
    return this.uses(tenant_id) ? (this.personal as Personal).value(tenant_id, value) : value;
  }

  /** Recorded calls for who judges them again, in memory; of a call whose data is gone only that it was. */
  async states(tenant_id: string, states: readonly CallState[]): Promise<CallState[]> {
    const { personal } = this;
    if (!personal || !this.uses(tenant_id)) return [...states];
    const opened = async (state: CallState) => {
      if (!state.call?.sealed) return state;
      return { ...state, call: (await personal.open(tenant_id, state.call, []))?.call ?? null };
    };
    return Promise.all(states.map(opened));
  }

  /** Whether anything of the tenant may be sealed. */
  uses(tenant_id: string): boolean {
    return this.personal !== undefined && hasPersonal(this.configuration.state, tenant_id);
  }

  /** A stream of a tenant; what is written keeps its order. */
  stream(tenant_id: string, out: StreamOut): StreamOut {
    return this.uses(tenant_id) ? new OpenedStream((text) => this.text(tenant_id, text), out) : out;
  }

  private opens(tenant_id: string, text: string): boolean {
    return this.uses(tenant_id) && text.includes(SEALED);
  }
}

class OpenedStream implements StreamOut {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly opened: (text: string) => string | Promise<string>,
    private readonly out: StreamOut,
  ) {}

  /** What cannot be opened now ends the stream: its reader comes again. */
  write(text: string): void {
    this.last = this.last.then(async () => this.out.write(await this.opened(text))).catch(() => this.out.end());
  }

  end(): void {
    this.last = this.last.then(() => this.out.end());
  }
}
