import { type CallTopic, callTopics, type DamageAccepted, type DamageFound, parseTopic } from '@countersign/contracts';

/** A difference between the log and what was signed that is not accepted yet. */
export interface OpenDamage extends Omit<DamageFound, 'meta'> {
  /** event_id of its `damage_found`. */
  damage_id: string;
}

/** The differences found by verification, and the operators' decisions about them. The order of the two topics does not matter. */
export interface DamageState {
  open: Map<string, OpenDamage>;
  accepted: Set<string>;
  /** Ranges of the log that were accepted as they are: their records stay unproven. */
  lost: OpenDamage[];
  /** Decisions that allow trees to be reopened, with their offsets on `configuration-changed`. */
  openings: { event_id: string; offset: number; opened: DamageAccepted['opened'] }[];
}

export const noDamage = (): DamageState => ({ open: new Map(), accepted: new Set(), lost: [], openings: [] });

export function foundDamage(state: DamageState, { meta, ...damage }: DamageFound): DamageState {
  const { event_id: damage_id } = meta;
  if (state.accepted.has(damage_id)) noteLost(state, { ...damage, damage_id });
  else state.open.set(damage_id, { ...damage, damage_id });
  return state;
}

/** `offset`: the offset of the decision on `configuration-changed`. */
export function acceptedDamage(state: DamageState, { meta, damage_ids, opened }: DamageAccepted, offset: number): DamageState {
  if (opened.length > 0) state.openings.push({ event_id: meta.event_id, offset, opened });
  for (const damage_id of damage_ids) {
    state.accepted.add(damage_id);
    const damage = state.open.get(damage_id);
    if (damage) noteLost(state, damage);
    state.open.delete(damage_id);
  }
  return state;
}

function noteLost(state: DamageState, damage: OpenDamage): void {
  if (damage.kind === 'log' && damage.topic !== null && damage.first_offset !== null) state.lost.push(damage);
}

/** True if the damage affects this tenant: its own data, its lane, or a topic that all lanes share. */
export function concerns({ topic, tenant_id }: OpenDamage, tenant: { tenant_id: string; lane: string }): boolean {
  if (tenant_id !== null) return tenant_id === tenant.tenant_id;
  if (topic === null) return true;
  const parsed = parseTopic(topic);
  return !(callTopics as readonly string[]).includes(parsed.topic as CallTopic) || parsed.lane === tenant.lane;
}

/** The damage that stops this tenant from writing; undefined if there is none. */
export function damageOf(open: Iterable<OpenDamage>, tenant: { tenant_id: string; lane: string }): OpenDamage | undefined {
  for (const damage of open) if (concerns(damage, tenant)) return damage;
  return undefined;
}

/** True if no checkpoint may be signed: the log or its checkpoints are damaged. Rows and keys are not signed. */
export function holdsSigning(open: Iterable<OpenDamage>): boolean {
  for (const { kind } of open) if (kind === 'log' || kind === 'checkpoints') return true;
  return false;
}

/**
 * True if these records were accepted as they are, for the same generation of the tree. False for damage found by the signer, because
 * otherwise the log would grow without checkpoints.
 */
export function isLost(state: DamageState, damage: OpenDamage): boolean {
  const { kind, found_by, topic, partition, first_offset, last_offset, generation } = damage;
  if (kind !== 'log' || found_by === 'signer' || first_offset === null || last_offset === null) return false;
  return state.lost.some(
    (lost) =>
      lost.topic === topic &&
      lost.partition === partition &&
      lost.generation === generation &&
      (lost.first_offset as number) <= first_offset &&
      last_offset <= (lost.last_offset ?? -1),
  );
}
