import { laneTopic, SHARED_LANE } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import {
  BUNDLE_FORMAT,
  type Bundle,
  type BundledRecord,
  type Cosigned,
  callSummary,
  type ProofReader,
  plain,
  verifyBundle,
} from '@countersign/evidence';
import type { AppDeps, Evidence } from '@countersign/process';
import { openCheckpoint } from '@countersign/proofs';
import { Ancestors } from './ancestors.js';
import type { AskedCheckpoint } from './asked-checkpoint.service.js';
import { BundledCaseMaker } from './bundled-case-maker.js';
import { schemasOf } from './bundled-schemas.js';
import { policyInForce } from './policy-in-force.js';
import { type FoundRecord, partitionOfCall, RecordsOfCalls } from './records-of-calls.js';

/** A call for a bundle, from the view. */
export interface CallToBundle {
  call_id: string;
  lane: string;
  requested_at_ms: number;
  /** Undefined while the call has not ended. */
  ended_at_ms: number | undefined;
}

export type MadeBundle =
  | { kind: 'made'; bundle: Bundle }
  | { kind: 'not_covered' }
  /** Retention deleted records of this call, so the rest is incomplete. */
  | { kind: 'dropped'; call_id: string }
  | { kind: 'broken'; reason: string };

/** What one reading of the log came to. `incomplete`: records of the bundle follow from others that were not read. */
type ReadBundle = MadeBundle | { kind: 'incomplete'; bundle: Bundle; gaps: readonly string[] };

const READINGS_MAX = 3;

/** Makes bundles from the log. Each is verified before it is returned. */
export class BundleMaker {
  private readonly records: RecordsOfCalls;
  private readonly ancestors: Ancestors;
  private readonly cases: BundledCaseMaker;

  constructor(
    private readonly deps: Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'clock' | 'logger'>,
    private readonly evidence: Evidence,
    private readonly proofs: ProofReader,
  ) {
    this.records = new RecordsOfCalls(deps);
    this.ancestors = new Ancestors(deps);
    this.cases = new BundledCaseMaker(deps, evidence, proofs);
  }

  /** `asked`: use this checkpoint, which witnesses have cosigned or an authority has timestamped, instead of the newest. */
  async make(tenant_id: string, subject: Bundle['subject'], calls: readonly CallToBundle[], asked?: AskedCheckpoint): Promise<MadeBundle> {
    for (let reading = 1; ; reading++) {
      const made = await this.once(tenant_id, subject, calls, asked);
      if (made.kind !== 'incomplete') return made;
      // A record that was written while the topics were read: the next reading has it.
      if (reading < READINGS_MAX) continue;
      this.deps.logger.warn({ event: 'bundle_incomplete', subject, gaps: made.gaps }, 'a bundle lacks records that others follow from');
      return { kind: 'made', bundle: made.bundle };
    }
  }

  private async once(
    tenant_id: string,
    subject: Bundle['subject'],
    calls: readonly CallToBundle[],
    asked: AskedCheckpoint | undefined,
  ): Promise<ReadBundle> {
    const found = await this.recordsOf(calls);
    const dropped = await this.dropped(calls, found);
    if (dropped) return { kind: 'dropped', call_id: dropped.call_id };
    const rules = await policyInForce(this.records, tenant_id, found.flatMap(judgedAt));
    const before = await this.ancestors.of(tenant_id, found);
    const all = [...rules, ...before, ...found];
    const proven = await this.prove(all, asked);
    if (proven.kind !== 'made') return proven;
    const of = await this.cases.make(tenant_id, calls[0]?.lane ?? SHARED_LANE, all, this.checkpointOf(proven.checkpoint));
    const bundle: Bundle = {
      format: BUNDLE_FORMAT,
      tenant_id,
      subject,
      made_at_ms: this.deps.clock.now_ms(),
      calls: calls.map(({ call_id }) => callSummary(call_id, eventsOf(call_id, found))),
      records: proven.records,
      schemas: schemasOf(this.deps.codec, [
        ...all.map(({ record }) => record.value),
        ...(of ? [Buffer.from(of.leaf.value, 'base64')] : []),
      ]),
      checkpoint: proven.checkpoint,
      ...(asked?.token ? { timestamp: { token: asked.token } } : {}),
      vkey: this.evidence.signer.verifier.vkey,
    };
    return this.verified(of ? { ...bundle, case: of } : bundle);
  }

  /** A case that does not add up, as after records were dropped, proves nothing and is left out. */
  private verified(bundle: Bundle): ReadBundle {
    const verdict = verifyBundle(bundle, { log: this.evidence.signer.verifier, witnesses: [] });
    if (verdict.kind === 'verified') return { kind: 'made', bundle };
    const { case: of, ...rest } = bundle;
    if (of && verdict.step === 'case') return this.verified(rest);
    return verdict.gaps ? { kind: 'incomplete', bundle, gaps: verdict.gaps } : { kind: 'broken', reason: verdict.reason };
  }

  /** The checkpoint of these proofs, so that everything is proven under one. */
  private checkpointOf(note: string): Cosigned | undefined {
    const signed = openCheckpoint(note, this.evidence.signer.verifier);
    return signed && { number: signed.size - 1, note };
  }

  private async recordsOf(calls: readonly CallToBundle[]): Promise<FoundRecord[]> {
    const groups = new Map<string, CallToBundle[]>();
    for (const call of calls) {
      const group = `${call.lane}/${partitionOfCall(call.call_id)}`;
      groups.set(group, [...(groups.get(group) ?? []), call]);
    }
    const found: FoundRecord[] = [];
    for (const group of groups.values()) {
      const [{ lane, call_id }] = group as [CallToBundle];
      const ends = group.map(({ ended_at_ms }) => ended_at_ms ?? Number.POSITIVE_INFINITY);
      const until_ms = Math.max(...ends);
      const stretch = {
        lane,
        partition: partitionOfCall(call_id),
        from_ms: Math.min(...group.map(({ requested_at_ms }) => requested_at_ms)),
        until_ms: Number.isFinite(until_ms) ? until_ms : undefined,
      };
      found.push(...(await this.records.find(new Set(group.map((call) => call.call_id)), stretch)));
    }
    return found;
  }

  /** Finds a call whose first record, its request, was deleted. */
  private async dropped(calls: readonly CallToBundle[], found: readonly FoundRecord[]): Promise<CallToBundle | undefined> {
    const whole = new Set(found.flatMap(({ event }) => (event.event_type === 'tool_call_requested' ? [event.event.meta.call_id] : [])));
    for (const call of calls) {
      if (whole.has(call.call_id)) continue;
      const topic = laneTopic('tool-call-requested', call.lane);
      if ((await this.deps.log.first(topic, partitionOfCall(call.call_id))) > 0) return call;
    }
    return undefined;
  }

  private async prove(found: readonly FoundRecord[], asked: AskedCheckpoint | undefined) {
    const proofs = await this.proofs.proveAll(
      found.map(({ record }) => record),
      asked,
    );
    if (proofs.kind !== 'proofs') return proofs;
    const records = found.map(({ record, event }, at): BundledRecord => {
      const { topic, partition, offset, timestamp_ms, key, headers, value } = record;
      const place = { topic, partition, offset, timestamp_ms, key, headers, value: value.toString('base64') };
      const { checkpoint: _, ...proof } = proofs.proofs[at] as (typeof proofs.proofs)[number];
      return { ...place, event_type: event.event_type, event: plain(event.event), proof };
    });
    return { kind: 'made' as const, records, checkpoint: proofs.checkpoint };
  }
}

/** The configuration offsets of the decisions on a call, including the check before its execution. */
function judgedAt({ event: { event_type, event } }: FoundRecord): number[] {
  return event_type === 'policy_decided' || event_type === 'tool_call_started' || event_type === 'tool_call_rejudged'
    ? [event.config_offset]
    : [];
}

function eventsOf(call_id: string, found: readonly FoundRecord[]): PlacedEvent[] {
  return found.filter(({ event }) => event.event.meta.call_id === call_id).map(({ event }) => event as PlacedEvent);
}
