import { laneTopic, parseTopic } from '@countersign/contracts';
import { type PlacedEvent, registeredFact, type TrustObservation, trustObservations } from '@countersign/domain';
import {
  emptyBits,
  firstOffset,
  insertTrustFacts,
  type Statement,
  trustTables as set,
  setBit,
  type TrustFactWrite,
  type TrustRunsWrite,
  trustBits,
  upsertTrustRuns,
} from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

type Stated = Pick<TrustFactWrite, 'tenant_id' | 'kind' | 'tool' | 'version'> & { detail: object };

/** Data of a record about a version other than how it ran. */
function statedBy(at: PlacedEvent): Stated | undefined {
  switch (at.event_type) {
    case 'tool_registered': {
      const detail = registeredFact(at.event, at.timestamp_ms);
      return (
        detail && { tenant_id: at.event.only_tenant ?? '', kind: 'registered', tool: at.event.name, version: at.event.version, detail }
      );
    }
    case 'tool_evaluation_set': {
      const { meta, tool, version, contract_digest: digest, passed, failed, verified_at_ms: evaluated_at_ms } = at.event;
      return {
        tenant_id: meta.tenant_id,
        kind: 'evaluated',
        tool,
        version,
        detail: { digest, passed: failed === 0 && passed > 0, evaluated_at_ms },
      };
    }
    case 'tool_audit_set': {
      const { meta, tool, version, audit_status } = at.event;
      const level = { unaudited: 0, self_assessed: 0.5, third_party: 1 }[audit_status];
      return { tenant_id: meta.tenant_id, kind: 'audited', tool, version, detail: { level } };
    }
    case 'tool_rated': {
      const { meta, tool, version, rater, rating, comment, by, rated_at_ms } = at.event;
      const detail = { rater, rating, comment, by: { kind: by.kind, id: by.id }, rated_at_ms };
      return { tenant_id: meta.tenant_id, kind: 'rated', tool, version, detail };
    }
    default:
      return undefined;
  }
}

class PendingTrust implements PendingRows {
  private readonly rows = new Map<string, TrustRunsWrite>();
  private readonly facts: TrustFactWrite[] = [];

  fold({ at, before, after }: Change): void {
    if (after === undefined) this.foldFact(at);
    else if (after !== before && (after.end ?? after.doubt ?? after.approval_end) !== null) {
      const approvals = laneTopic('approval-granted', parseTopic(at.topic).lane);
      for (const one of trustObservations(before, after, approvals)) this.observe(one);
    }
  }

  private foldFact(at: PlacedEvent): void {
    const fact = at.is_refused ? undefined : statedBy(at);
    if (!fact) return;
    const { tenant_id, kind, tool, version, detail } = fact;
    const named = { tenant_id: storable(tenant_id), kind, tool: storable(tool), version: storable(version) };
    const place = { topic: at.topic, partition: at.partition, source_offset: at.offset, at_ms: at.timestamp_ms };
    this.facts.push({ ...named, ...place, detail: storable(JSON.stringify(detail)) });
  }

  private observe(one: TrustObservation): void {
    const { at, at_ms } = one;
    const row = this.rowOf(one);
    setBit(row.bits.runs, at.offset);
    const confirmed = one.fact === 'run' ? one.counts.verified > 0 : one.granted;
    if (one.fact === 'asked') {
      if (one.granted) setBit(row.bits.succeeded, at.offset);
    } else for (const bit of trustBits) if (one.counts[bit] > 0) setBit(row.bits[bit], at.offset);
    if (at_ms < row.first_at_ms) row.first_at_ms = at_ms;
    if (at_ms > row.last_at_ms) row.last_at_ms = at_ms;
    if (confirmed && at_ms > (row.confirmed_at_ms ?? 0)) row.confirmed_at_ms = at_ms;
  }

  private rowOf({ tenant_id, tool, version, principal, fact, at, at_ms }: TrustObservation): TrustRunsWrite {
    const first_offset = firstOffset(at.offset);
    const key = `${tenant_id}\0${tool}\0${version}\0${principal.kind}:${principal.id}\0${at.topic}\0${at.partition}\0${first_offset}`;
    const known = this.rows.get(key);
    if (known) return known;
    const named = { tenant_id: storable(tenant_id), tool: storable(tool), version: storable(version), fact };
    const row: TrustRunsWrite = {
      ...named,
      principal: storable(`${principal.kind}:${principal.id}`),
      topic: at.topic,
      partition: at.partition,
      first_offset,
      bits: emptyBits(),
      first_at_ms: at_ms,
      last_at_ms: at_ms,
      confirmed_at_ms: null,
    };
    this.rows.set(key, row);
    return row;
  }

  statements(): Statement[] {
    return [...inChunks([...this.rows.values()], upsertTrustRuns), ...inChunks(this.facts, insertTrustFacts)];
  }
}

/** Outcomes of calls and facts about tools: the input of trust scores at any past offset. */
export const trust: Projection = { set, empty: () => new PendingTrust() };
