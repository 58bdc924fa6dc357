import type { GrantSet, Principal, ToolContract, ToolPolicySet } from '@countersign/contracts';
import type { Limit } from '../../limit/state.js';
import type { Evaluation } from '../../registry/record.js';
import type { Semver } from '../../versions/semver.js';

/** A tenant's row of the tool policy; the tool `*` means every tool without its own row. */
export type ToolOverride = Pick<ToolPolicySet, 'tool' | 'rule_id' | 'approver_roles' | 'quorum' | 'expires_after_ms'> & {
  tier: NonNullable<ToolPolicySet['tier']>;
  /** Null: approver_roles, quorum and expires_after_ms are all that it asks for. */
  requirement: ToolPolicySet['requirement'];
  changed_at_ms: number;
};

/** A contract that executors of `lanes` can run. The newest registration of a version is the one that counts. */
export interface ToolVersion {
  name: string;
  version: string;
  semver: Semver;
  contract: ToolContract;
  /** Computed from the contract's text, never taken on trust. */
  digest: string;
  lanes: ReadonlySet<string>;
  executor_id: string;
  registered_at_ms: number;
  /** What callers rely on in this contract (contractPin), and in the one that first had this version. Not the same: it drifted. */
  pin: string;
  first_pin: string;
  /** It runs once an evaluation of this very contract has passed. */
  gated: boolean;
  /** The evaluation that it ships with; of another contract it says nothing. */
  evaluation: Evaluation | null;
  runs_on: { environment: string; adapter: string; adapter_version: string; protocol_version: string | null };
}

/** One version of a tenant's mapping for a tool. What a definition means is libs/mapping's. */
export interface MappingVersion {
  tool: string;
  version: number;
  /** Null: from here on the tool is not mapped. */
  definition: Readonly<Record<string, unknown>> | null;
  rolled_back_to: number | null;
  by: Principal;
  changed_at_ms: number;
  /** Epoch ms from which calls go by it; null: it waits for a second person. */
  in_force_from_ms: number | null;
  /** Who activated a version that waited; null: it did not wait, or still does. */
  activated_by: Principal | null;
}

/** 'Approve similar' as it is in the configuration; one that was revoked is kept, so that it does not come again. */
export type KeptGrant = Pick<GrantSet, 'grant' | 'revoked' | 'by' | 'changed_at_ms'>;

/** The limits of a tenant. */
export interface TenantLimits {
  /** Those in force; replaced as a whole when one changes, so that what was compiled from it can be kept by it. */
  active: readonly Limit[];
  /** limit_id → its versions, newest first; removed ones too. */
  versions: Map<string, readonly Limit[]>;
}
