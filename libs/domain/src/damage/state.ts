import { type CallTopic, callTopics, type DamageAccepted, type DamageFound, parseTopic } from '@countersign/contracts';

/** A place of the record that differs from what was signed and is not accepted yet. */
export interface OpenDamage extends Omit<DamageFound, 'meta'> {
  /** event_id of its `damage_found`. */
  damage_id: string;
}

/** What was found that is not what was signed, and what operators decided about it. The order of the two topics does not matter. */
export interface DamageState {
  open: Map<string, OpenDamage>;
  accepted: Set<string>;
  /** Places of the log that were accepted as they are: their records stay unproven. */
  lost: OpenDamage[];
  /** Decisions that let trees be opened, and their offsets on `configuration-changed`. */
  openings: { event_id: string; offset: number; opened: DamageAccepted['opened'] }[];
}

export const noDamage = (): DamageState => ({ open: new Map(), accepted: new Set(), lost: [], openings: [] });

export function foundDamage(state: DamageState, { meta, ...damage }: DamageFound): DamageState {
  const { event_id: damage_id } = meta;
  if (state.accepted.has(damage_id)) noteLost(state, { ...damage, damage_id });
  else state.open.set(damage_id, { ...damage, damage_id });
  return state;
}

/** `offset`: of the decision on `configuration-changed`. */
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

/** Whether a damage concerns this tenant: its own, that of its lane, or that of a topic that exists once. */
export function concerns({ topic, tenant_id }: OpenDamage, tenant: { tenant_id: string; lane: string }): boolean {
  if (tenant_id !== null) return tenant_id === tenant.tenant_id;
  if (topic === null) return true;
  const parsed = parseTopic(topic);
  return !(callTopics as readonly string[]).includes(parsed.topic as CallTopic) || parsed.lane === tenant.lane;
}

/** What keeps this tenant from writing; undefined where nothing does. */
export function damageOf(open: Iterable<OpenDamage>, tenant: { tenant_id: string; lane: string }): OpenDamage | undefined {
  for (const damage of open) if (concerns(damage, tenant)) return damage;
  return undefined;
}

/** Whether no checkpoint may be signed: the log or its checkpoints are damaged. Rows and keys are no part of what is signed. */
export function holdsSigning(open: Iterable<OpenDamage>): boolean {
  for (const { kind } of open) if (kind === 'log' || kind === 'checkpoints') return true;
  return false;
}

/**
 * Whether these records were accepted as they are, as the same tree judged them. What keeps the signer from going on is never:
 * the log would grow without checkpoints.
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
