import { SEALED } from '@countersign/contracts';
import { type CallState, type ConfigurationState, hasPersonal } from '@countersign/domain';
import type { Personal } from '@countersign/process';

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

  private opens(tenant_id: string, text: string): boolean {
    return this.uses(tenant_id) && text.includes(SEALED);
  }
}
