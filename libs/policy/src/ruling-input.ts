import type { Authority, CallContext, Principal, ToolContract, ToolPolicySet, VersionState } from '@countersign/contracts';

/** Everything that a ruling looks at. */
export interface RulingInput {
  contract: ToolContract;
  /** The tenant's row for the tool (or for `*`); may lower or raise the tier and names its rule. */
  override?:
    | (Pick<ToolPolicySet, 'tier' | 'rule_id' | 'approver_roles' | 'quorum' | 'expires_after_ms'> &
        Partial<Pick<ToolPolicySet, 'requirement'>>)
    | undefined;
  lifecycle: VersionState;
  context: Pick<CallContext, 'safety_mode'> & Partial<Pick<CallContext, 'purpose'>>;
  principal: Principal;
  /** By whose rights; null where the call says nothing of it: no clearances then. */
  authority: Authority | null;
}
