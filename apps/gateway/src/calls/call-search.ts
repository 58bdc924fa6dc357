import { envelopeMembers, type SeenCall } from '@countersign/calls';
import { SEALED } from '@countersign/contracts';
import type { ConfigurationState } from '@countersign/domain';
import { rulesAbout } from '@countersign/process';
import type { CallsQuery } from './calls.schemas.js';

/** Characters of the inputs of a call that are searched. */
const INPUTS_SEARCHED = 16_384;

export type CallFilters = Pick<CallsQuery, 'principal' | 'on_behalf_of' | 'saga_id' | 'trace_id' | 'text'>;

/** Filters that are checked on each call, as its reader may see it. */
export class CallSearch {
  private readonly text: string | undefined;

  constructor(
    private readonly filters: CallFilters,
    private readonly configuration: ConfigurationState,
  ) {
    this.text = filters.text?.toLowerCase();
  }

  /** False if no filter is set. */
  get isNeeded(): boolean {
    const { principal, on_behalf_of, saga_id, trace_id, text } = this.filters;
    return [principal, on_behalf_of, saga_id, trace_id, text].some((filter) => filter !== undefined);
  }

  matches(call: SeenCall): boolean {
    const { principal, on_behalf_of, saga_id, trace_id } = this.filters;
    return (
      (principal === undefined || call.call?.principal.id === principal) &&
      (on_behalf_of === undefined || call.call?.authority?.on_behalf_of?.id === on_behalf_of) &&
      (saga_id === undefined || call.call?.saga?.saga_id === saga_id) &&
      (trace_id === undefined || call.correlation_id === trace_id) &&
      (this.text === undefined || this.hasText(call, this.text))
    );
  }

  private hasText(seen: SeenCall, text: string): boolean {
    const { call, call_id } = seen;
    const identifiers = [call_id, call?.tool, call?.case_id, call?.context.run_id];
    const searched = this.isPersonal(seen) ? identifiers : [...identifiers, ...contents(seen)];
    return searched.some((each) => each?.toLowerCase().includes(text));
  }

  /** True if some data of the call is encrypted, would be encrypted under today's rules, or is withheld from its reader. */
  private isPersonal({ call, tenant_id, withheld }: SeenCall): boolean {
    if (!call || call.sealed || withheld) return true;
    return rulesAbout(this.configuration, tenant_id, { tool: call.tool, markings: call.authority?.markings ?? [] }).length > 0;
  }
}

/** The texts of a call that may contain data, without those that contain an encrypted value. */
function contents(seen: SeenCall): string[] {
  const { message } = (envelopeMembers(seen).made.error ?? {}) as { message?: string };
  return [message ?? '', seen.call?.inputs_json.slice(0, INPUTS_SEARCHED) ?? ''].filter((text) => !text.includes(SEALED));
}
