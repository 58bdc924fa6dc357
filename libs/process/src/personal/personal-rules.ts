import { type ConfigurationState, type PersonalRule, personalRules } from '@countersign/domain';
import { fitsOne } from '@countersign/policy';

const NONE: readonly PersonalRule[] = [];

/** The rules that mark parts of a call as personal. Only a look-up for tenants without rules. */
export function rulesAbout(
  state: ConfigurationState,
  tenant_id: string,
  call: { tool: string; markings: readonly string[] },
): readonly PersonalRule[] {
  const rules = personalRules(state, tenant_id);
  if (rules.length === 0) return NONE;
  return rules.filter(
    ({ tools, markings }) =>
      (tools.length === 0 || fitsOne(tools, call.tool)) &&
      (markings.length === 0 || markings.some((marking) => call.markings.includes(marking))),
  );
}
