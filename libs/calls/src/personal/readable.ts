import { SEALED } from '@countersign/contracts';
import { type CallState, type ConfigurationState, hasPersonal } from '@countersign/domain';
import type { Personal } from '@countersign/process';

/** Decrypts personal data in answers of the gateway. A value whose key was destroyed reads `erased`. */
export class Readable {
  constructor(
    private readonly personal: Personal | undefined,
    private readonly configuration: { readonly state: ConfigurationState },
  ) {}

  /** For tests without personal data. */
  static readonly plain = new Readable(undefined, { state: undefined as never });

  /** Decrypts JSON text of a tenant. Returns a promise only if the text contains encrypted values. */
  text(tenant_id: string, text: string): string | Promise<string> {
    return this.opens(tenant_id, text) ? (this.personal as Personal).text(tenant_id, text) : text;
  }

  /** JSON text that is evaluated: values whose key was destroyed stay encrypted, which `hasErased` tells. */
  evaluable(tenant_id: string, text: string): string | Promise<string> {
    return this.opens(tenant_id, text) ? (this.personal as Personal).evaluable(tenant_id, text) : text;
  }

  /** Whether a part of evaluable JSON has values whose key was destroyed. */
  hasErased(tenant_id: string, value: unknown): boolean {
    return this.uses(tenant_id) && (JSON.stringify(value) ?? '').includes(SEALED);
  }

  value<T>(tenant_id: string, value: T): T | Promise<T> {
    return this.uses(tenant_id) ? (this.personal as Personal).value(tenant_id, value) : value;
  }

  /** Decrypts recorded calls for a new decision in memory. A call whose data was erased is only marked as erased. */
  async states(tenant_id: string, states: readonly CallState[]): Promise<CallState[]> {
    const { personal } = this;
    if (!personal || !this.uses(tenant_id)) return [...states];
    const opened = async (state: CallState) => {
      if (!state.call?.sealed) return state;
      return { ...state, call: (await personal.open(tenant_id, state.call, []))?.call ?? null };
    };
    return Promise.all(states.map(opened));
  }

  /** Whether the tenant may have encrypted values. */
  uses(tenant_id: string): boolean {
    return this.personal !== undefined && hasPersonal(this.configuration.state, tenant_id);
  }

  private opens(tenant_id: string, text: string): boolean {
    return this.uses(tenant_id) && text.includes(SEALED);
  }
}
