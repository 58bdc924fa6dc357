import { canonicalText, type GrantableAmount, type GrantableInputs, memberPointer, sha256Hex } from '@countersign/contracts';

/** The mark of a tool contract, in its input schema, on inputs that a grant need not match exactly. All other inputs must be equal. */
export const GRANT_MARK = 'x-grant';

type Json = unknown;
const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value);

interface Split {
  equal: Json;
  amounts: { path: string; value: Json }[];
}

/** Splits off marked inputs. Looks into objects but not into arrays: arrays are compared as a whole. */
function split(value: Json, schema: Json, path: string): Split {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  if (!isObject(value)) return { equal: value, amounts: [] };
  const equal: Record<string, Json> = {};
  const amounts: Split['amounts'] = [];
  for (const [name, field] of Object.entries(value)) {
    const of = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const mark = isObject(of) ? of[GRANT_MARK] : undefined;
    const at = memberPointer(path, name);
    if (mark === 'free') continue;
    if (mark === 'amount') amounts.push({ path: at, value: field });
    else {
      const inner = split(field, of, at);
      equal[name] = inner.equal;
      amounts.push(...inner.amounts);
    }
  }
  return { equal, amounts };
}

const isAmount = ({ value }: { value: Json }): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;

/** The inputs that a grant would cover; null if a marked amount is not a positive number. */
export function grantableInputs(inputs_json: string, input_schema: Json): GrantableInputs | null {
  const { equal, amounts } = split(JSON.parse(inputs_json), input_schema, '');
  if (!amounts.every(isAmount)) return null;
  const all = amounts
    .map(({ path, value }): GrantableAmount => ({ path, max: value as number }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return { equal_digest: sha256Hex(canonicalText(equal)), amounts: all };
}

/** True if a grant covers the inputs: unmarked inputs are equal, and each amount is above 0 and at most the approved one. */
export function isWithin(granted: GrantableInputs, requested: GrantableInputs | null): boolean {
  if (!requested || requested.equal_digest !== granted.equal_digest || requested.amounts.length !== granted.amounts.length) return false;
  return requested.amounts.every(({ path, max }, at) => {
    const approved = granted.amounts[at];
    return approved?.path === path && max > 0 && max <= approved.max;
  });
}
