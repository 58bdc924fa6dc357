import {
  type AnyEvent,
  type ApprovalVoted,
  type EventMap,
  type EventType,
  type Meta,
  NO_CONTEXT,
  type Principal,
  type ToolCall,
  type VoteKind,
} from '@countersign/contracts';
import { castVote } from '../approval/decide.js';
import type { LinkPeriod } from '../approval/person-links.js';
import type { RolesLeft, StandingDelegation } from '../approval/voting-right.js';
import { stampedMeta } from '../draft.js';
import { allowResolution, type CallToRule, cancelCall, type Judgement, type RulingDraft, ruleOnCall } from '../ruling/decide.js';
import { type EditedRuling, editApproval } from '../ruling/edit.js';
import { evolveRulings } from '../ruling/evolve.js';
import { initialRulings } from '../ruling/state.js';

export const asks: Judgement = {
  effect: 'require_approval',
  tier: 'tier_2_approval_required',
  approval_mode_effective: 'delegated',
  rule: 'default.commit_high',
  reason: null,
  approver_roles: ['approver'],
  quorum: 1,
  expires_after_ms: 10_000,
};
export const allows: Judgement = { ...asks, effect: 'allow', tier: 'tier_1_auto', rule: 'default.stage' };

export const person = (id: string, roles: string[] = ['approver']): Principal => ({ kind: 'user', id, roles });

export const aCall = (more: Partial<ToolCall> = {}): ToolCall => ({
  tool: 'pay',
  version: '1.0.0',
  effect_class: 'commit_high',
  category: 'test',
  contract_digest: 'contract',
  inputs_json: '{}',
  inputs_digest: 'inputs',
  sealed: null,
  mapped: null,
  idempotency_key: 'key-1',
  key_source: 'derived',
  discriminating_digest: '00000000000000aa',
  window_ms: 1000,
  case_id: null,
  run_id: null,
  occurrence: null,
  principal: { kind: 'agent', id: 'robot', roles: ['agent'] },
  context: { ...NO_CONTEXT },
  deadline_ms: null,
  authority: null,
  callback_url: null,
  requested_at_ms: 0,
  lane: 'shared',
  ...more,
});

export const aMeta = (call_id: string | null, hlc = 1): Meta => ({
  event_id: `cause-${call_id}-${hlc}`,
  tenant_id: 'acme',
  call_id,
  attempt: 0,
  causation_id: null,
  correlation_id: 'trace',
  hlc,
  partition: 0,
});

/** The policy of one partition without I/O, for specs: its records and its state. */
export class RuledPartition {
  readonly state = initialRulings();
  readonly written: AnyEvent[] = [];
  now_ms = 1000;
  /** Active standing delegations, for every vote. */
  standing: StandingDelegation[] = [];
  /** Recorded identity links, for every vote. */
  person_links: LinkPeriod[] = [];
  /** All voters are live, with all claimed roles. */
  roles_left: RolesLeft = (_who, roles) => roles;
  private hlc = 0;
  private offset = 0;

  /** Stamps and folds decided drafts. @returns the types of the new events. */
  write(drafts: readonly RulingDraft[]): EventType[] {
    for (const draft of drafts) {
      const meta = stampedMeta(draft, { event_id: `e${this.written.length}`, now_ms: this.now_ms, after_hlc: this.hlc });
      this.hlc = meta.hlc;
      const published = { event_type: draft.event_type, event: { meta, ...draft.body } } as AnyEvent;
      evolveRulings(this.state, published, draft.traceparent);
      this.written.push(published);
    }
    return drafts.map((draft) => draft.event_type);
  }

  /** Folds an earlier event of policy. */
  fold(published: AnyEvent): void {
    evolveRulings(this.state, published, undefined);
  }

  rule(call_id: string, judgement: Judgement, more: Partial<CallToRule> = {}): EventType[] {
    const meta = aMeta(call_id);
    const source = { topic: 'tool-call-requested', offset: this.offset++ };
    const grantable = { equal_digest: 'equal', amounts: [] };
    const known = { meta, call: aCall(), revision: 1, judgement, reversibility: 'reversible' as const, grantable };
    const unlooked = { key_holder: undefined, config_offset: 7, traceparent: undefined };
    const terms = { now_ms: this.now_ms, bundle_version: 'b', allow_for_ms: 500 };
    return this.write(ruleOnCall(this.state, { ...known, ...unlooked, cause: meta, source, ...more }, terms));
  }

  vote(approval_id: string, voter: Principal, kind: VoteKind, more: Partial<ApprovalVoted> = {}): EventType[] {
    const vote_id = `${voter.id}-${kind}-${this.offset}`;
    const written = {
      approval_id,
      vote_id,
      vote: kind,
      reason: null,
      inputs_json: null,
      inputs_digest: null,
      to: null,
      edited: null,
      grant: null,
    };
    const vote = {
      meta: aMeta(approval_id.split('.')[0] as string),
      voter,
      voted_at_ms: this.now_ms,
      voter_issuer: 'local',
      ...written,
      ...more,
    };
    const source = { topic: 'approval-voted', offset: this.offset++ };
    const cast = {
      vote,
      traceparent: undefined,
      appended_at_ms: this.now_ms,
      source,
      grant_for_ms: 3000,
      standing: this.standing,
      person_links: this.person_links,
      roles_left: this.roles_left,
    };
    return this.write(castVote(this.state.approvals.get(approval_id), cast));
  }

  /** An edit to inputs with this digest, with the decision of policy on it. */
  edit(
    approval_id: string,
    voter: Principal,
    judgement: Judgement,
    more: Partial<EditedRuling> & Pick<Partial<ApprovalVoted>, 'grant'> & { edited_to?: string } = {},
  ): EventType[] {
    const { grant = null, edited_to: inputs_digest = 'edited', ...ruling } = more;
    const inputs_json = `{"memo":"${inputs_digest}"}`;
    const edited = {
      inputs_json,
      inputs_digest,
      idempotency_key: `key-${inputs_digest}`,
      discriminating_digest: '00000000000000bb',
      mapped: null,
    };
    const vote_id = `${voter.id}-edit-${this.offset}`;
    const written = { approval_id, vote_id, vote: 'edit' as const, reason: null, inputs_json, inputs_digest, to: null, edited, grant };
    const vote = { meta: aMeta(approval_id.split('.')[0] as string), voter, voted_at_ms: this.now_ms, voter_issuer: 'local', ...written };
    const source = { topic: 'approval-voted', offset: this.offset++ };
    const cast = {
      vote,
      traceparent: undefined,
      appended_at_ms: this.now_ms,
      source,
      grant_for_ms: 3000,
      standing: this.standing,
      person_links: this.person_links,
      roles_left: this.roles_left,
    };
    const grantable = { equal_digest: 'equal', amounts: [] };
    const common = { judgement, reversibility: 'reversible' as const, key_holder: undefined, config_offset: 8, grantable };
    const terms = { now_ms: this.now_ms, bundle_version: 'b', allow_for_ms: 500 };
    return this.write(editApproval(this.state, cast, { edited, ruling: { ...common, ...ruling } }, terms));
  }

  cancel(call_id: string, tenant_id = 'acme', more: { only_before_fire?: boolean } = {}): EventType[] {
    const event = { meta: { ...aMeta(call_id), tenant_id }, principal: person('robot', []), reason: 'no', requested_at_ms: 0, ...more };
    const source = { topic: 'tool-call-requested', offset: this.offset++ };
    return this.write(cancelCall(this.state, { event, source, traceparent: undefined }));
  }

  resolve(call_id: string, principal: Principal, reason: string): EventType[] {
    const finding = { resolution: 'happened' as const, output_json: null, reason, requested_at_ms: 0 };
    const event = { meta: aMeta(call_id), principal, ...finding };
    const source = { topic: 'tool-call-requested', offset: this.offset++ };
    return this.write(allowResolution({ event, source, traceparent: undefined }, this.now_ms));
  }

  /** Ends the call at the executor. */
  end(call_id: string): void {
    evolveRulings(this.state, { event_type: 'tool_executed', event: { meta: aMeta(call_id) } } as AnyEvent, undefined);
  }

  /** Fires the call. */
  start(call_id: string): void {
    evolveRulings(this.state, { event_type: 'tool_call_started', event: { meta: aMeta(call_id) } } as AnyEvent, undefined);
  }

  /** The newest event of a type. */
  last<T extends EventType>(event_type: T): EventMap[T] {
    const found = this.written.findLast((published) => published.event_type === event_type);
    if (!found) throw new Error(`no ${event_type} was written`);
    return found.event as EventMap[T];
  }
}
