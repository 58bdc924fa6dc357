import { RecordGuard, Refusal, type Seen } from '@countersign/calls';
import { Injectable } from '@nestjs/common';
import type { ApprovalAnswer, VotedApproval } from './approval-answers.schemas.js';
import type { DecisionRequest } from './approval-requests.schemas.js';
import { ApprovalsService } from './approvals.service.js';
import { LinkVoterService } from './link-voter.service.js';
import { VotesService } from './votes.service.js';

/** A request and its tenant, for decrypting its personal data. */
interface OfTenant<T> {
  tenant_id: string;
  approval: T;
}

/** Reads and decides approval requests through decision links. */
@Injectable()
export class DecisionsService {
  constructor(
    private readonly voters: LinkVoterService,
    private readonly approvals: ApprovalsService,
    private readonly votes: VotesService,
    private readonly record: RecordGuard,
  ) {}

  async look(token: string, seen: Seen): Promise<OfTenant<ApprovalAnswer> | Refusal> {
    const known = this.voters.voterOf(token);
    if (known instanceof Refusal) return known;
    const approval = await this.approvals.read(known.voter, known.approval_id, seen);
    return approval instanceof Refusal ? approval : { tenant_id: known.voter.tenant_id, approval };
  }

  async decide({ token, ...vote }: DecisionRequest, seen: Seen): Promise<OfTenant<VotedApproval> | Refusal> {
    const known = this.voters.voterOf(token);
    if (known instanceof Refusal) return known;
    const { tenant_id } = known.voter;
    const damaged = this.record.refusal(tenant_id);
    if (damaged) return damaged;
    const cast = await this.votes.vote(known.voter, known.approval_id, vote, seen);
    return cast instanceof Refusal ? cast : { tenant_id, approval: cast.approval };
  }
}
