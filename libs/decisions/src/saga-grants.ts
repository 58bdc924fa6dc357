import type { SimilarGrant, ToolCall, ToolContract } from '@countersign/contracts';
import {
  type ConfigurationState,
  type Judgement,
  openInputsOf,
  type PartsAsking,
  partsBySaga,
  partsRequested,
  personLinksOf,
  SAGA_APPROVAL,
  sagaGrant,
  sagaMaxOf,
} from '@countersign/domain';
import { OpenInputs } from './open-inputs.js';

const NONE: ReadonlyMap<string, SimilarGrant> = new Map();

/** The approval of the saga that satisfies parts of the approval of its step's call, by rule. */
export function sagaGrantsOn(
  config: ConfigurationState,
  tenant_id: string,
  { call, contract, now_ms }: { call: ToolCall; contract: ToolContract; now_ms: number },
  asking: PartsAsking,
): ReadonlyMap<string, SimilarGrant> {
  const kept = call.saga ? sagaGrant(config, tenant_id, call.saga.saga_id) : undefined;
  if (!kept || kept.revoked) return NONE;
  const { grant } = kept;
  const unseen = new OpenInputs(contract, openInputsOf(grant, call), config, tenant_id);
  const asked = partsRequested(asking).filter((part) => unseen.areAcceptedBy(part));
  const parts = partsBySaga(grant, call, asked, { now_ms, links: personLinksOf(config, tenant_id) });
  return new Map(parts.map(({ rule }) => [rule, grant]));
}

/** True if the approval of a whole saga may have satisfied the call, and this process, which may be behind, knows of none. */
export function mayLackSagaGrant(config: ConfigurationState, tenant_id: string, { saga, tool }: ToolCall, asking: Judgement): boolean {
  if (!saga || tool === SAGA_APPROVAL.tool || asking.effect !== 'require_approval') return false;
  return sagaGrant(config, tenant_id, saga.saga_id) === undefined && partsRequested(asking).some((part) => sagaMaxOf(part) > 0);
}

/** When the newest call that these grants allow may start; undefined: no approval of a saga is among them. */
export function sagaGrantsEnd(grants: Iterable<SimilarGrant>): number | undefined {
  const ends = [...grants].flatMap(({ saga, expires_at_ms }) => (saga ? [expires_at_ms] : []));
  return ends.length > 0 ? Math.min(...ends) : undefined;
}
