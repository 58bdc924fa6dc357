import { type Issue, Refusal } from '@countersign/calls';
import { type ConfigurationState, keysOf, tenantIdsOf } from '@countersign/domain';
import { LRUCache } from 'lru-cache';
import unhomoglyph from 'unhomoglyph';

/** Invisible characters: default ignorable ones (zero-width, soft hyphen, variation selectors), controls, and all kinds of space. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}]/gu;
/** Dotted letters, with or without a stem: in many typefaces they look alike (`BILL`, `BIll`, `bill`). */
const STEMS = /[iıljɩ1|]/gu;
/** Rounds of normalization; more rounds change nothing. */
const ROUNDS = 3;
const REMEMBERED_MAX = 50_000;

const known = new LRUCache<string, string>({ max: REMEMBERED_MAX });

function skeleton(id: string): string {
  let text = id;
  for (let round = 0; round < ROUNDS; round++) {
    const plain = text.normalize('NFKC').replaceAll(UNSEEN, '');
    // Replaces Unicode confusables (UTS 39) both before case folding (I is l) and after it.
    text = unhomoglyph(unhomoglyph(plain).toLowerCase()).normalize('NFKC').toLowerCase();
  }
  return text.replaceAll(STEMS, 'l');
}

/** Skeleton of an id: ids with equal skeletons look alike. Only for comparison, never shown. */
export function skeletonOf(id: string): string {
  const remembered = known.get(id);
  if (remembered !== undefined) return remembered;
  const made = skeleton(id);
  known.set(id, made);
  return made;
}

/** An id in unambiguous form: characters other than printable ASCII are escaped by code point. */
const escaped = (id: string): string =>
  JSON.stringify(id).replaceAll(/[^\x20-\x7e]/gu, (one) => `\\u{${(one.codePointAt(0) as number).toString(16)}}`);

function alike(id: string, ids: Iterable<string>): string | undefined {
  const wanted = skeletonOf(id);
  let found: string | undefined;
  for (const other of ids) {
    if (other === id) return undefined;
    if (found === undefined && skeletonOf(other) === wanted) found = other;
  }
  return found;
}

/** Why a new id is confusable with an existing one. An id that already exists can always be used. */
export function lookAlikeIssue(path: string, what: string, id: string, ids: Iterable<string>): Issue | undefined {
  const other = alike(id, ids);
  if (other === undefined) return undefined;
  const message = `${escaped(id)} looks like ${what} ${escaped(other)}, which already exists: use that id, or one that is not confusable with it`;
  return { path, code: 'looks_alike', message };
}

/** The ids of all principals of a tenant that ever had a key, and of their owners. Revoked ones stay on the log permanently. */
export function principalIdsOf(state: ConfigurationState, tenant_id: string): Set<string> {
  return new Set(keysOf(state, tenant_id).flatMap(({ principal, owner }) => (owner === null ? [principal.id] : [principal.id, owner])));
}

/** Refuses a principal, or its owner, whose id is confusable with another id of the tenant: people identify voters and callers by their id. */
export function confusablePrincipal(
  state: ConfigurationState,
  tenant_id: string,
  { principal, owner }: { principal: { id: string }; owner?: string | undefined },
): Refusal | undefined {
  const ids = principalIdsOf(state, tenant_id);
  const about = lookAlikeIssue('/principal/id', 'the principal', principal.id, ids);
  ids.add(principal.id);
  const owned = owner === undefined ? undefined : lookAlikeIssue('/owner', 'the principal', owner, ids);
  const issues = [about, owned].filter((issue) => issue !== undefined);
  return issues.length === 0
    ? undefined
    : new Refusal('conflict', 'an id must not be confusable with another id of the tenant', { reason: 'id_too_similar', issues });
}

export const tenantLookAlike = (state: ConfigurationState, tenant_id: string): Issue | undefined =>
  lookAlikeIssue('/tenant_id', 'the tenant', tenant_id, tenantIdsOf(state));
