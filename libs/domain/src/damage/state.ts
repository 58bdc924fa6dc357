import { type CallTopic, callTopics, type DamageAccepted, type DamageFound, parseTopic } from '@countersign/contracts';

/** A place of the record that is not what was signed, and that nobody accepted yet. */
export interface OpenDamage extends Omit<DamageFound, 'meta'> {
  /** event_id of its `damage_found`. */
  damage_id: string;
}

/** A tree that a decision opened for the records of a partition from an offset on; the tree before stays as it was signed. */
export interface TreeGeneration {
  topic: string;
  partition: number;
  generation: number;
  base_offset: number;
  /** event_id of its `damage_accepted`. */
  decision_id: string;
}

/** What was found that is not what was signed, and what operators decided about it. The order of the two topics does not matter. */
export interface DamageState {
  open: Map<string, OpenDamage>;
  accepted: Set<string>;
  /** By `<topic>/<partition>`, oldest first. */
  generations: Map<string, TreeGeneration[]>;
}

export const noDamage = (): DamageState => ({ open: new Map(), accepted: new Set(), generations: new Map() });

export function foundDamage(state: DamageState, { meta, ...damage }: DamageFound): DamageState {
  if (!state.accepted.has(meta.event_id)) state.open.set(meta.event_id, { ...damage, damage_id: meta.event_id });
  return state;
}

export function acceptedDamage(state: DamageState, { meta, damage_ids, trees }: DamageAccepted): DamageState {
  for (const damage_id of damage_ids) {
    state.accepted.add(damage_id);
    state.open.delete(damage_id);
  }
  for (const { topic, partition, generation, base_offset } of trees) {
    const tree = `${topic}/${partition}`;
    const known = state.generations.get(tree) ?? [];
    // Of two decisions at once the first counts.
    if (generation !== known.length + 1) continue;
    state.generations.set(tree, [...known, { topic, partition, generation, base_offset, decision_id: meta.event_id }]);
  }
  return state;
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

/** Whether a damage lies in a tree that a decision froze: below the first record of the newest tree of its partition. */
export function isAcceptedPlace(state: DamageState, { kind, topic, partition, last_offset }: Omit<OpenDamage, 'damage_id'>): boolean {
  const newest = state.generations.get(`${topic}/${partition}`)?.at(-1);
  return kind === 'log' && newest !== undefined && last_offset !== null && last_offset < newest.base_offset;
}
