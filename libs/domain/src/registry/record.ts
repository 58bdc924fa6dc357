import type { LifecycleState, ToolAuditSet } from '@countersign/contracts';
import type { BreakingDifference } from '../compatibility/contract-changes.js';

/** The lifecycle decision on a version, and the facts for the notice to its callers. */
export interface LifecycleEntry {
  state: LifecycleState;
  /** When a deprecated version stops running, epoch ms. */
  sunset_at_ms: number | null;
  reason: string | null;
  /** `name@version` */
  use_instead: string | null;
  changed_at_ms: number;
}

/** The result of an evaluation pack for exactly one contract. */
export interface Evaluation {
  tool: string;
  version: string;
  contract_digest: string;
  passed: number;
  failed: number;
  cases: unknown[];
  /** ISO 8601. */
  verified_at: string;
}

/** A registration that was refused because its contract breaks the promise of its version number. */
export interface RefusedRegistration {
  /** The tenant that alone has the tool; null: it is of a pack. */
  tenant_id: string | null;
  name: string;
  version: string;
  digest: string;
  /** The version that it was compared with. */
  against: string;
  differences: BreakingDifference[];
  executor_id: string;
  lanes: string[];
  refused_at_ms: number;
}

/** The pinned version of an adapter. Null: any version. */
export interface AdapterPin {
  environment: string;
  adapter: string;
  adapter_version: string | null;
  protocol_version: string | null;
  changed_at_ms: number;
}

/** The record of a security audit of a version. */
export interface AuditRecord {
  audit_status: ToolAuditSet['audit_status'];
  auditor: string | null;
  report: string | null;
  changed_at_ms: number;
}

export const versionKey = (tool: string, version: string): string => `${tool}@${version}`;

/** Key of a refused registration. The name of a tool contains no slash. */
export const refusalKey = (tenant_id: string | null, tool: string, version: string): string =>
  `${tenant_id === null ? '' : `${tenant_id}/`}${versionKey(tool, version)}`;

/** Parses an evaluation as written by `npm run tools:verify`; null if it is invalid. */
export function readEvaluation(text: string | null): Evaluation | null {
  if (text === null) return null;
  try {
    const read = JSON.parse(text) as Partial<Evaluation> | null;
    const counts = [read?.passed, read?.failed].every((count) => typeof count === 'number' && Number.isInteger(count) && count >= 0);
    const texts = [read?.tool, read?.version, read?.contract_digest, read?.verified_at].every((each) => typeof each === 'string');
    if (!read || !counts || !texts) return null;
    return { ...(read as Evaluation), cases: Array.isArray(read.cases) ? read.cases : [] };
  } catch {
    return null;
  }
}

/** True if the evaluation shows that this contract works: at least one case passed and none failed. */
export function passes(evaluation: Evaluation | null | undefined, tool: { name: string; version: string; digest: string }): boolean {
  if (!evaluation || evaluation.tool !== tool.name || evaluation.version !== tool.version) return false;
  return evaluation.contract_digest === tool.digest && evaluation.failed === 0 && evaluation.passed > 0;
}
