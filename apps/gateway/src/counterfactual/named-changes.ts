import { type Caller, type Issue, Refusal } from '@countersign/calls';
import { callError, canonicalText, type Principal } from '@countersign/contracts';
import { type Change, callOfApproval, type Recording } from '@countersign/decisions';
import { factsOf, keysOf, limitVersions } from '@countersign/domain';
import type { Limit, PolicyBundle } from '@countersign/policy';
import { limitFault, nextVersion } from '../limits/limit-request.js';
import type { PolicyService } from '../policies/policy.service.js';
import type { RequestedChange } from './counterfactual-request.schema.js';

type ChangeOf<K extends RequestedChange['kind']> = Extract<RequestedChange, { kind: K }>;
type Named = Change | Issue;

const missing = (at: number, field: string, message: string): Issue => ({ path: `/changes/${at}/${field}`, code: 'not_found', message });
const isIssue = (named: Named | Issue | Refusal): named is Issue => 'path' in named && 'code' in named && 'message' in named;

/** Resolves changes that do not depend on the record: policies, tables and limits. */
export class NamedRules {
  constructor(
    private readonly policies: PolicyService,
    private readonly caller: Caller,
  ) {}

  /** Undefined if the change depends on the record. */
  async of(change: RequestedChange, at: number): Promise<Named | Refusal | undefined> {
    if (change.kind === 'policy') return this.policy(change, at);
    if (change.kind === 'fact') return this.fact(change, at);
    return change.kind === 'limit' ? this.limit(change, at) : undefined;
  }

  private async policy({ version, bundle }: ChangeOf<'policy'>, at: number): Promise<Named | Refusal> {
    const { tenant_id } = this.caller;
    if (version === null) return { kind: 'policy', bundle: null };
    if (version !== undefined) {
      const published = this.policies.shelf(tenant_id).versions.get(version);
      return published ? { kind: 'policy', bundle: published } : missing(at, 'version', `the policy ${version} does not exist`);
    }
    const text = await this.policies.text(tenant_id, 'draft', bundle as PolicyBundle);
    return text instanceof Refusal ? text : { kind: 'policy', bundle: text };
  }

  private fact({ table, set, remove }: ChangeOf<'fact'>, at: number): Named {
    const { state } = this.policies.configuration;
    if (!factsOf(state, this.caller.tenant_id).has(table)) return missing(at, 'table', `the table ${table} does not exist`);
    return { kind: 'fact', table, set, removed: remove };
  }

  private limit({ limit_id, max, limit }: ChangeOf<'limit'>, at: number): Named {
    const { tenant_id, principal: by } = this.caller;
    const [known] = limitVersions(this.policies.configuration.state, tenant_id, limit_id);
    if (limit) {
      const fault = limitFault(limit);
      const issue = fault?.more.issues?.[0];
      if (issue) return { ...issue, path: `/changes/${at}/limit${issue.path}` };
      const next: Limit = { ...nextVersion(limit_id, limit, known), by, changed_at_ms: 0 };
      return { kind: 'limit', limit: next };
    }
    if (!known) return missing(at, 'limit_id', `the limit ${limit_id} does not exist`);
    return { kind: 'limit', limit: max === undefined ? { ...known, removed: true } : { ...known, removed: false, max } };
  }
}

/** Resolves changes of recorded votes, results and calls. Refuses a change of something unknown with its path. */
export class NamedRecords {
  constructor(
    private readonly recording: Recording,
    private readonly caller: Caller,
    private readonly principals: readonly Principal[],
    private readonly rules_change: boolean,
  ) {}

  of(change: RequestedChange, at: number): Named | undefined {
    if (change.kind === 'approval') return this.vote(change, at);
    if (change.kind !== 'result' && change.kind !== 'left_out') return undefined;
    const { call_id } = change;
    const isThere = this.recording.calls.get(call_id) && !this.recording.as_recorded.has(call_id);
    if (!isThere) return missing(at, 'call_id', `the call ${call_id} is not one of the selected calls`);
    if (change.kind === 'left_out') return { kind: 'left_out', call_id };
    const { error, output } = change;
    if (error) return { kind: 'result', call_id, status: 'failed', output_json: null, error: callError(error.code, error.message) };
    return { kind: 'result', call_id, status: 'succeeded', output_json: canonicalText(output ?? null), error: null };
  }

  private vote({ approval_id, voter, vote, at: voted_ms, reason }: ChangeOf<'approval'>, at: number): Named {
    const call = this.recording.calls.get(callOfApproval(approval_id));
    const asks = call?.events.some((event) => event.event_type === 'approval_requested' && event.event.approval_id === approval_id);
    if (!call || (!asks && !this.rules_change))
      return missing(at, 'approval_id', `the approval ${approval_id} does not belong to the selected calls`);
    const id = voter ?? this.caller.principal.id;
    const cast = call.inputs.find(
      (input) => input.event_type === 'approval_voted' && input.event.approval_id === approval_id && input.event.voter.id === id,
    );
    const known = cast?.event_type === 'approval_voted' ? cast.event : undefined;
    const who = known?.voter ?? this.principal(id);
    if (!who) return missing(at, 'voter', `the principal ${id} does not exist`);
    const at_ms = voted_ms ?? cast?.timestamp_ms;
    if (at_ms === undefined)
      return { path: `/changes/${at}/at`, code: 'missing', message: `${id} has no recorded vote on this approval: send \`at\`` };
    return { kind: 'vote', approval_id, voter: who, vote, reason: reason ?? null, at_ms, ...(known ? { vote_id: known.vote_id } : {}) };
  }

  private principal(id: string): Principal | undefined {
    return id === this.caller.principal.id ? this.caller.principal : this.principals.find((one) => one.id === id);
  }
}

/** All changes in the form of the engine, or a refusal. */
export async function named(
  requested: readonly RequestedChange[],
  of: (change: RequestedChange, at: number) => Named | Refusal | undefined | Promise<Named | Refusal | undefined>,
): Promise<Change[] | Refusal> {
  const changes: Change[] = [];
  const issues: Issue[] = [];
  for (const [at, one] of requested.entries()) {
    const found = await of(one, at);
    if (found instanceof Refusal) return found;
    if (found && isIssue(found)) issues.push(found);
    else if (found) changes.push(found);
  }
  const [first] = issues;
  return first ? new Refusal('unknown-change', `${first.path}: ${first.message}`, { issues }) : changes;
}

/** The people and services that have a key. */
export function knownPrincipals({ policies, tenant_id }: { policies: PolicyService; tenant_id: string }): Principal[] {
  return keysOf(policies.configuration.state, tenant_id).map(({ principal }) => principal);
}
