import { type Approval, type ApprovalPart, type LedgerText, ledgerText, type RulingState, readLedger } from '@countersign/domain';
import type { PolicySnapshot } from './output-replay.js';
import type { RulingPartition } from './ruling-partition.js';

/** Storage of partition snapshots; a loss only lengthens the next start. */
export interface SnapshotRows {
  load(lane: string, partition: number): Promise<{ body: string; offsets: string } | undefined>;
  save(lane: string, partition: number, row: { body: string; offsets: string }): Promise<void>;
}

/** An approval in snapshots from before parts: its requirement is a separate field. */
type KeptApproval = Approval & Partial<Omit<ApprovalPart, 'rule'>> & Pick<Approval, 'approval_id'>;

/** Adds the parts to an approval from an old snapshot: a single part, with the rule of its decision. */
function approvalOf(kept: KeptApproval): Approval {
  if (kept.parts as unknown) return kept;
  const {
    requirement,
    level = 0,
    level_before = 0,
    requested_at_ms = 0,
    expires_at_ms = 0,
    reminded_ms = 0,
    sla_missed = false,
    ...approval
  } = kept;
  const part = { rule: kept.rule, level, level_before, requested_at_ms, expires_at_ms, reminded_ms, sla_missed, shortfall: null };
  const votes = kept.votes.map((vote) => ({ ...vote, in_parts: [], voter_issuer: null }));
  const passed = kept.passed.map((one) => ({ ...one, rules: [] }));
  if (!requirement) throw new Error(`approval ${kept.approval_id} of the snapshot has no requirement`);
  return { ...approval, parts: [{ ...part, requirement }], distinct: false, votes, passed, grantable: null };
}

interface Body {
  hlc: number;
  approvals: Approval[];
  /** Call, tenant, revision. */
  allowed: [string, string, number][];
  limits?: LedgerText;
  /** Effect key, and the calls that are to undo the effect. Absent in snapshots of earlier releases, or if there are none. */
  undoing?: [string, string[]][];
  ended_undos?: string[];
  hashes?: [event_id: string, leaf_hash: string][];
}

/** Serializes a state without its indexes; they are rebuilt from the approvals in order. */
function stateText(state: RulingState, hlc: number, hashes: Required<Body>['hashes']): string {
  const allowed = Array.from(state.allowed, ([call_id, { tenant_id, revision }]): Body['allowed'][number] => [
    call_id,
    tenant_id,
    revision,
  ]);
  const body: Body = { hlc, approvals: [...state.approvals.values()], allowed, limits: ledgerText(state.limits) };
  if (hashes.length > 0) body.hashes = hashes;
  if (state.ended_undos.size > 0) body.ended_undos = [...state.ended_undos];
  if (state.undoing.size > 0) body.undoing = Array.from(state.undoing, ([key, calls]) => [key, [...calls]]);
  return JSON.stringify(body);
}

function readState(text: string): Pick<PolicySnapshot, 'state' | 'hlc' | 'hashes'> {
  const body = JSON.parse(text) as Body;
  const state: RulingState = {
    approvals: new Map(body.approvals.map((kept) => [kept.approval_id, approvalOf(kept)])),
    approval_of_call: new Map(),
    approval_of_key: new Map(),
    allowed: new Map(body.allowed.map(([call_id, tenant_id, revision]) => [call_id, { tenant_id, revision, call: null }])),
    limits: readLedger(body.limits),
    undoing: new Map((body.undoing ?? []).map(([key, calls]) => [key, new Set(calls)])),
    ended_undos: new Set(body.ended_undos ?? []),
  };
  for (const approval of state.approvals.values()) {
    for (const member of approval.members) state.approval_of_call.set(member.meta.call_id as string, approval.approval_id);
    state.approval_of_key.set((approval.members[0] as Approval['members'][number]).call.idempotency_key, approval.approval_id);
  }
  return { state, hlc: body.hlc, ...(body.hashes && { hashes: body.hashes }) };
}

/** The newest snapshot of a partition; undefined if there is none or it cannot be read. @throws InfrastructureFault */
export async function loadSnapshot(rows: SnapshotRows, lane: string, partition: number): Promise<PolicySnapshot | undefined> {
  const row = await rows.load(lane, partition);
  if (!row) return undefined;
  try {
    const { inputs, outputs } = JSON.parse(row.offsets) as Pick<PolicySnapshot, 'inputs' | 'outputs'>;
    return { ...readState(row.body), inputs, outputs };
  } catch {
    return undefined;
  }
}

/**
 * Saves a consistent cut: the current state and inputs, with the output positions right after the records that produced them. If the
 * writer was interleaved, no such cut exists and the previous snapshot stays.
 */
export async function saveSnapshot(rows: SnapshotRows, partition: RulingPartition): Promise<void> {
  const body = stateText(partition.state, partition.hlc, partition.start.hashes.waiting());
  const inputs = Object.fromEntries(partition.start.inputs);
  const outputs = Object.fromEntries(await partition.writer.mark());
  if (partition.writer.isInterleaved) return;
  await rows.save(partition.start.lane, partition.start.partition, { body, offsets: JSON.stringify({ inputs, outputs }) });
}
