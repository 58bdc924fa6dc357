import type { components, operations } from '@countersign/client/generated/api';

type Schemas = components['schemas'];

/** A request with everything that its approvers must know. */
export type Approval = Schemas['ApprovalWithFacts'];
export type AskedPart = Schemas['ApprovalAskedPart'];
export type VotedApproval = Schemas['VotedApproval'];
export type Status = Approval['status'];
export type VoteBody = operations['approvals_vote']['requestBody']['content']['application/json'];
export type VoteOutcomeItem = Schemas['VoteOutcomes']['items'][number];

/** What the inbox reads of each request besides the summary. Never the inputs: a list of them could be hundreds of megabytes. */
export const EXPANDED = 'sentence,barred,parts,votes,terms';

type Listed = Pick<
  Approval,
  | 'approval_id'
  | 'call_id'
  | 'status'
  | 'requested_at'
  | 'expires_at'
  | 'reversibility'
  | 'level'
  | 'revision'
  | 'decided_at'
  | 'decided_by'
  | 'sentence'
  | 'barred'
  | 'parts'
  | 'votes'
  | 'terms'
>;

/** A request as the inbox lists it. */
export type InboxItem = Listed & {
  call: Pick<Schemas['ApprovalCall'], 'tool' | 'version' | 'principal' | 'on_behalf_of' | 'withheld'> | null;
};

/** The path of a request in the console. */
export const approvalPath = (approval_id: string): string => `/approvals/${encodeURIComponent(approval_id)}`;

export const isIrreversible = ({ reversibility }: Pick<Approval, 'reversibility'>): boolean => reversibility === 'irreversible';
