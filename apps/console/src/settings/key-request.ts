import type { components } from '@countersign/client';

export type NewKey = components['schemas']['NewKey'];

export const ROLES = ['agent', 'approver', 'operator', 'auditor', 'policy_admin', 'tool_author', 'admin'] as const;
export const KINDS = ['user', 'agent', 'service'] as const;
const DAY_MS = 86_400_000;

/** What a person fills in for a new key. */
export interface KeyForm {
  name: string;
  kind: (typeof KINDS)[number];
  id: string;
  roles: string[];
  /** Of agents only. */
  owner: string;
  /** Days, or empty: it does not expire. */
  days: string;
}

export const EMPTY_KEY: KeyForm = { name: '', kind: 'user', id: '', roles: [], owner: '', days: '90' };
export const KEY_FIELDS = ['/name', '/principal/kind', '/principal/id', '/principal/roles', '/owner', '/expires_at'];

/** The body of `POST /v1/keys`: what is left empty is left out. */
export function keyRequest({ name, kind, id, roles, owner, days }: KeyForm, now_ms: number): NewKey {
  return {
    principal: { kind, id: id.trim(), roles: roles as NewKey['principal']['roles'] },
    scopes: [],
    clearances: [],
    ...(name.trim() && { name: name.trim() }),
    ...(kind === 'agent' && owner.trim() && { owner: owner.trim() }),
    ...(days && { expires_at: new Date(now_ms + Number(days) * DAY_MS).toISOString() }),
  };
}
