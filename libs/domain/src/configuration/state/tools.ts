import type { GrantSet, Principal, ToolContract, ToolPolicySet } from '@countersign/contracts';
import type { Limit } from '../../limit/state.js';
import type { Evaluation } from '../../registry/record.js';
import type { Semver } from '../../versions/semver.js';

/** A tenant's row of the tool policy; the tool `*` means every tool without its own row. */
export type ToolOverride = Pick<ToolPolicySet, 'tool' | 'rule_id' | 'approver_roles' | 'quorum' | 'expires_after_ms'> & {
  tier: NonNullable<ToolPolicySet['tier']>;
  /** Null: only approver_roles, quorum and expires_after_ms apply. */
  requirement: ToolPolicySet['requirement'];
  changed_at_ms: number;
};

/** A contract that the executors of `lanes` can run. The newest registration of a version counts. */
export interface ToolVersion {
  name: string;
  version: string;
  semver: Semver;
  contract: ToolContract;
  /** Computed from the contract's text, not copied from the record. */
  digest: string;
  lanes: ReadonlySet<string>;
  executor_id: string;
  registered_at_ms: number;
  /**
   * The pin (contractPin) of the current contract, and that of the first contract of this version. If they differ, the contract drifted.
   */
  pin: string;
  first_pin: string;
  /** The version runs only after an evaluation of exactly this contract has passed. */
  gated: boolean;
  /** The evaluation that the version ships with; ignored if it is about another contract. */
  evaluation: Evaluation | null;
  runs_on: { environment: string; adapter: string; adapter_version: string; protocol_version: string | null };
}

/** A version of a tool that runs at an HTTPS endpoint of its tenant. Executors announce its contract. */
export interface HttpTool {
  name: string;
  version: string;
  /** Names the endpoint. */
  contract: ToolContract;
  /** Signs its requests; encrypted under a key of the tenant. */
  secret_sealed: string;
  gated: boolean;
  by: Principal;
  changed_at_ms: number;
}

/** A version of a tool that an imported OpenAPI document describes. Its texts are parsed where they are needed: a tenant may have many. */
export interface OpenApiTool {
  name: string;
  version: string;
  import: string;
  operation: string;
  contract_json: string;
  binding_json: string;
  content_digest: string;
  by: Principal;
  changed_at_ms: number;
  /** An import lists it. Absent: its import was not finished, and it cannot be called. */
  is_imported?: true;
}

/** The newest import of a document under a name. */
export interface OpenApiImport {
  name: string;
  title: string;
  document_version: string;
  document_digest: string;
  base_url: string;
  options_json: string;
  report_json: string;
  by: Principal;
  changed_at_ms: number;
}

/** The imported documents of a tenant. */
export interface OpenApiImports {
  /** By name. */
  imports: Map<string, OpenApiImport>;
  /** By `tool@version`, in the order of their records. */
  tools: Map<string, OpenApiTool>;
  /** Characters of all contracts and bindings. */
  chars: number;
}

/** One version of a tenant's mapping for a tool. libs/mapping interprets the definition. */
export interface MappingVersion {
  tool: string;
  version: number;
  /** Null: from this version on the tool is not mapped. */
  definition: Readonly<Record<string, unknown>> | null;
  rolled_back_to: number | null;
  by: Principal;
  changed_at_ms: number;
  /** Epoch ms from which the version applies to calls; null: it waits for a second person. */
  in_force_from_ms: number | null;
  /** The person who activated a pending version; null: it needed no activation, or is still pending. */
  activated_by: Principal | null;
}

/** A grant for similar calls. A revoked one is kept, so that it is not added again. */
export type KeptGrant = Pick<GrantSet, 'grant' | 'revoked' | 'by' | 'changed_at_ms'>;

/** The limits of a tenant. */
export interface TenantLimits {
  /** Limits in force. The array is replaced as a whole on each change, so that compiled limits can be cached by it. */
  active: readonly Limit[];
  /** limit_id → its versions, newest first, including removed ones. */
  versions: Map<string, readonly Limit[]>;
}
