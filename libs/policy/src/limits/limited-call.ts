import { effectRules, type LimitScope, type LimitSet, type ToolCall, type ToolContract } from '@countersign/contracts';

/** One version of a guard limit. */
export type Limit = Omit<LimitSet, 'meta' | 'based_on'>;

/** The fields of a call that limits use. */
export interface LimitedCall {
  tenant_id: string;
  call: ToolCall;
  contract: ToolContract;
  /** Append time of its request on the log. */
  at_ms: number;
}

/** Expected cost of a call, US dollars. */
export const costOf = ({ contract }: Pick<LimitedCall, 'contract'>): number => contract.cost_per_call ?? 0;

/** True if the tool reaches systems outside of the installation. */
export function reachesOut({ contract }: Pick<LimitedCall, 'contract'>): boolean {
  return effectRules[contract.effect_class].mcp.openWorldHint || (contract.network?.length ?? 0) > 0;
}

/** The subjects of a scope that a call counts for; empty if it has none. A tool without capabilities counts for its category. */
export function subjectsOf(scope: LimitScope, { tenant_id, call, contract }: Omit<LimitedCall, 'at_ms'>): readonly string[] {
  switch (scope) {
    case 'run':
      return call.run_id === null ? [] : [call.run_id];
    case 'case':
      return call.case_id === null ? [] : [call.case_id];
    case 'agent':
      return [call.principal.id];
    case 'tenant':
      return [tenant_id];
    case 'tool':
      return [call.tool];
    case 'capability':
      return contract.capabilities?.length ? contract.capabilities : [call.category];
  }
}
