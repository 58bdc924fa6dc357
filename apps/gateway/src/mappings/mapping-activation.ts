import { Refusal } from '@countersign/calls';
import { isReadOnly, type Principal, parseResourceName, type ToolContract } from '@countersign/contracts';
import { type ConfigurationState, keysOf, limitsOf, type MappingVersion, rulingBundles, toolVersions } from '@countersign/domain';
import { beyondPlainMoves, type GuardedFields, type MappingDefinition, type MappingIssue } from '@countersign/mapping';
import { compiledBundles, fieldsRead } from '@countersign/policy';
import { isSamePerson } from '../identity/same-person.js';

const has = (fields: ReadonlySet<string>, field: string): boolean => fields.has('*') || fields.has(field);

/** True if a field of a contract is part of the idempotency key of an effect. */
function identifies({ idempotency }: ToolContract, field: string): boolean {
  const { discriminating, except = [] } = idempotency;
  return discriminating ? discriminating.includes(field) : !except.includes(field);
}

/** The top-level fields that identify the target of a write, in each form of the inputs. */
function namingFields({ resources = [] }: ToolContract): ReadonlySet<string> {
  const pointers = resources.flatMap(({ name, effect }) => {
    const parsed = parseResourceName(name);
    const by = typeof effect === 'string' ? [] : [effect.by];
    return 'fault' in parsed ? by : [...parsed.pointers, ...by];
  });
  return new Set(pointers.map((pointer) => (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** The input fields of a tool version that its contract, or the tenant's rules and limits, depend on. */
function guardedFields(state: ConfigurationState, tenant_id: string, contract: ToolContract): GuardedFields {
  const { active, shadow } = rulingBundles(state, tenant_id);
  const bundles = [active, shadow].flatMap((text) => (text ? [compiledBundles.of(text)] : []));
  const read = fieldsRead(bundles, limitsOf(state, tenant_id), contract);
  const naming = namingFields(contract);
  const properties = (contract.input_schema as { properties?: Record<string, unknown> }).properties;
  const exists = (field: string) => properties === undefined || Object.hasOwn(properties, field);
  return {
    inputs: (field) => exists(field) && (identifies(contract, field) || naming.has(field) || has(read.inputs, field)),
    mapped: (field) => naming.has(field) || read.mapped.has(field),
  };
}

/**
 * Why a second person must activate a mapping of a write before it takes effect, with paths in the definition; empty: it takes effect at
 * once.
 */
export function activationReasons(
  state: ConfigurationState,
  tenant_id: string,
  tool: string,
  definition: MappingDefinition | null,
): MappingIssue[] {
  if (definition === null) return [];
  const writes = toolVersions(state, tenant_id, tool).filter((one) => !isReadOnly(one.tool.contract.effect_class));
  const found = writes.flatMap((one) => beyondPlainMoves(definition, guardedFields(state, tenant_id, one.tool.contract)));
  return [...new Map(found.map((issue) => [`${issue.path} ${issue.message}`, issue])).values()];
}

const isPolicyAdmin = ({ roles }: Principal): boolean => roles.includes('policy_admin') || roles.includes('admin');

/** Other policy admins of the tenant with API keys. People of an identity provider are unknown until they first authenticate. */
export function otherPolicyAdmins(state: ConfigurationState, tenant_id: string, by: Principal, now_ms: number): string[] {
  const valid = keysOf(state, tenant_id).filter(
    (key) => key.revoked_at_ms === null && (key.expires_at_ms ?? Number.POSITIVE_INFINITY) > now_ms,
  );
  const people = valid
    .filter(({ principal }) => principal.kind === 'user' && isPolicyAdmin(principal))
    .map(({ principal }) => principal.id);
  return [...new Set(people)].filter((id) => id !== by.id);
}

/** Why this caller cannot activate a version, or undefined. */
export function activationProblem(
  state: ConfigurationState,
  tenant_id: string,
  versions: readonly MappingVersion[],
  { version, by }: { version: number; by: Principal },
): Refusal | undefined {
  const wanted = versions.find((one) => one.version === version);
  if (!wanted) return new Refusal('not-found', `this mapping has no version ${version}`, { reason: 'mapping_version_not_found' });
  if (wanted.in_force_from_ms !== null)
    return new Refusal('conflict', `version ${version} of the mapping does not wait for activation`, { reason: 'mapping_not_pending' });
  const newer = versions.findLast((one) => one.version > version && one.in_force_from_ms !== null);
  if (newer)
    return new Refusal('conflict', `version ${newer.version} of the mapping is newer and in force: publish version ${version} again`, {
      reason: 'mapping_superseded',
    });
  if (by.kind !== 'user')
    return new Refusal('forbidden', `only users can activate a mapping, and ${by.id} is of kind ${by.kind}`, { reason: 'user_required' });
  const single = state.by_tenant.get(tenant_id)?.bundles.single_policy_admin === true;
  if (single || !isSamePerson(state, tenant_id, wanted.by.id, by.id)) return undefined;
  const right = 'another policy admin must activate it; if the tenant has only one, set single_policy_admin with PUT /v1/policies/settings';
  return new Refusal('forbidden', `four eyes: ${by.id} published version ${version} of the mapping, ${right}`, {
    reason: 'second_person_required',
    issues: [{ path: '/version', code: 'four_eyes', message: `was published by ${wanted.by.id}` }],
  });
}
