import type { EventMap, SealedKey } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';
import type { Erasure, PersonalData, PersonalRule } from '../state/personal-data.js';

const NONE: readonly PersonalRule[] = [];

function personalOf(state: ConfigurationState, tenant_id: string): PersonalData {
  const part = tenantPart(state, tenant_id);
  part.personal ??= { active: NONE, newest: new Map(), erasures: new Map(), erased_keys: new Set() };
  return part.personal;
}

export function setPersonalData(state: ConfigurationState, { meta, based_on: _base, ...rule }: EventMap['personal_data_set']): void {
  const personal = personalOf(state, meta.tenant_id);
  const others = personal.active.filter((one) => one.rule_id !== rule.rule_id);
  personal.newest.set(rule.rule_id, rule);
  personal.active = rule.removed ? others : [...others, rule];
}

export function erasePersonal(
  state: ConfigurationState,
  { meta, ...erasure }: EventMap['subject_erased'],
  { offset }: { offset: number },
): void {
  const personal = personalOf(state, meta.tenant_id);
  personal.erasures.set(erasure.subject, { ...erasure, event_id: meta.event_id, offset });
  for (const key_id of erasure.key_ids) personal.erased_keys.add(key_id);
}

/** The rules in force. */
export function personalRules(state: ConfigurationState, tenant_id: string): readonly PersonalRule[] {
  return state.by_tenant.get(tenant_id)?.personal?.active ?? NONE;
}

/** The newest version of a rule, even if it is removed. */
export function personalRule(state: ConfigurationState, tenant_id: string, rule_id: string): PersonalRule | undefined {
  return state.by_tenant.get(tenant_id)?.personal?.newest.get(rule_id);
}

/** True if the tenant may have encrypted data: it has set a personal-data rule at some time. */
export function hasPersonal(state: ConfigurationState, tenant_id: string): boolean {
  return state.by_tenant.get(tenant_id)?.personal !== undefined;
}

/** The newest erasure of a subject. */
export function erasureOf(state: ConfigurationState, tenant_id: string, subject: string): Erasure | undefined {
  return state.by_tenant.get(tenant_id)?.personal?.erasures.get(subject);
}

/** True if the data of an encrypted call is erased: a key of one of its subjects was erased. */
export function isErased(state: ConfigurationState, tenant_id: string, sealed: readonly SealedKey[]): boolean {
  const erased = state.by_tenant.get(tenant_id)?.personal?.erased_keys;
  return erased !== undefined && erased.size > 0 && sealed.some(({ key_id }) => erased.has(key_id));
}
