import { type GrantableInputs, type SimilarGrant, type ToolCall, type ToolContract } from '@countersign/contracts';
import {
  type ConfigurationState,
  type Demand,
  grantableInputs,
  grantsFor,
  type Judgement,
  MICRO,
  partsRequested,
} from '@countersign/domain';
import { counterKey } from '@countersign/policy';
import type { Judged } from './judged.js';
import { sagaGrantsEnd, sagaGrantsOn } from './saga-grants.js';

const PREFIX = 'grant/';
/** The limit id under which the uses of a grant are counted. */
export const grantLimitId = (grant_id: string): string => `${PREFIX}${grant_id}`;
/** The counter for the uses of a grant. */
export const grantCounter = (tenant_id: string, grant_id: string): string => counterKey(tenant_id, grantLimitId(grant_id), '', '');
export const isGrantDemand = ({ limit_id }: Pick<Demand, 'limit_id'>): boolean => limit_id.startsWith(PREFIX);

/** The inputs that a grant on this call would cover; null: none, because encrypted inputs cannot be compared. */
export function grantableOf(
  call: Pick<ToolCall, 'inputs_json' | 'sealed'>,
  contract: Pick<ToolContract, 'input_schema'>,
): GrantableInputs | null {
  return call.sealed ? null : grantableInputs(call.inputs_json, contract.input_schema);
}

/** The grants for similar calls, and the approval of its saga, that satisfy parts of the approval of a call, by rule. */
export function grantsOn(
  config: ConfigurationState,
  tenant_id: string,
  { call, contract, now_ms }: { call: ToolCall; contract: ToolContract; now_ms: number },
  asking: Judgement,
): ReadonlyMap<string, SimilarGrant> {
  const rules = partsRequested(asking).map(({ rule }) => rule);
  const similar = grantsFor(config, tenant_id, rules, () => ({ call, inputs: grantableOf(call, contract), now_ms }));
  const saga = sagaGrantsOn(config, tenant_id, { call, contract, now_ms }, asking);
  return saga.size === 0 ? similar : new Map([...similar, ...saga]);
}

function useOf(tenant_id: string, { grant_id, uses }: SimilarGrant): Demand {
  return {
    counter: grantCounter(tenant_id, grant_id),
    limit_id: grantLimitId(grant_id),
    subject: grant_id,
    per: '',
    amount_micro: MICRO,
    max_micro: uses * MICRO,
    window_ms: null,
    settle: 'effect',
    on_exceeded: 'deny',
    defer_timeout_ms: null,
  };
}

/** The ruling without the parts that grants satisfy, and the uses that it reserves from them; undefined if no grant satisfies a part. */
export function answeredByGrants(
  tenant_id: string,
  asking: Judgement,
  grants: ReadonlyMap<string, SimilarGrant>,
): { judgement: Judgement; uses: readonly Demand[] } | undefined {
  if (grants.size === 0) return undefined;
  const parts = partsRequested(asking).filter(({ rule }) => !grants.has(rule));
  const all = new Map([...grants.values()].map((grant) => [grant.grant_id, grant]));
  // A step of a saga takes effect at most once: its approval needs no count.
  const uses = [...all.values()].filter(({ saga }) => !saga).map((grant) => useOf(tenant_id, grant));
  if (parts.length > 0) return { judgement: { ...asking, parts }, uses };
  const allow_before_ms = sagaGrantsEnd(all.values());
  const rule = [...all.keys()].map(grantLimitId).join('+');
  return { judgement: { ...asking, effect: 'allow', rule, parts, ...(allow_before_ms === undefined ? {} : { allow_before_ms }) }, uses };
}

/** Removes the grants from a judgement when one of them has no use left: approval is then required. */
export function withoutGrants(judged: Judged): void {
  if (!judged.ungranted) return;
  judged.judgement = judged.ungranted;
  judged.demands = judged.demands.filter((demand) => !isGrantDemand(demand));
  delete judged.ungranted;
  judged.grants_used_up = true;
}
