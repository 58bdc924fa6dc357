import { Readable, RecordGuard, Refusal } from '@countersign/calls';
import { LOCAL_ISSUER, rolesLeft } from '@countersign/domain';
import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { z } from 'zod';
import { ConfigurationRoom } from '../configuration/configuration-room.js';
import { type DecisionClaims, DecisionLinks } from '../notifications/decision-link.js';
import { parseBody } from '../requests/body-issues.js';
import { approvalFace } from './approval-face.js';
import { DECISION_SCRIPT_HASH, decisionPage } from './decision-page.js';
import { type HttpReply, type HttpRequest, ok, sendAnswer, sendProblem } from './reply.js';
import { VoteRoom, type Voter } from './vote-room.js';

export const decisionRequest = z.strictObject({
  token: z.string().min(1).max(2000),
  vote: z.enum(['approve', 'deny']),
  reason: z.string().min(1).max(2000).optional(),
});

/** `/v1/decisions`: where the link of a message leads. Looking decides nothing (mail is opened by machines); only the POST votes. */
@Controller('v1/decisions')
export class DecisionsController {
  constructor(
    private readonly links: DecisionLinks,
    private readonly room: ConfigurationRoom,
    private readonly votes: VoteRoom,
    private readonly readable: Readable,
    private readonly record: RecordGuard,
  ) {}

  @Get()
  async look(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const { token } = request.query as { token?: string };
    const known = this.admitted(token ?? '');
    if (known instanceof Refusal) return sendProblem(request, reply, known);
    const row = await this.votes.find(request, known.voter.tenant_id, known.claims.approval_id);
    if (row instanceof Refusal) return sendProblem(request, reply, row);
    await this.votes.viewed(row, known.voter);
    const shown = await this.readable.value(known.voter.tenant_id, approvalFace(row, known.voter));
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .header(
        'content-security-policy',
        `default-src 'none'; script-src 'sha256-${DECISION_SCRIPT_HASH}'; connect-src 'self'; frame-ancestors 'none'`,
      )
      .send(decisionPage(shown));
  }

  @Post()
  @HttpCode(200)
  async decide(@Req() request: HttpRequest, @Res() reply: HttpReply): Promise<void> {
    const body = parseBody(decisionRequest, request.body);
    if (body instanceof Refusal) return sendProblem(request, reply, body);
    const { token, ...vote } = body;
    const known = this.admitted(token);
    if (known instanceof Refusal) return sendProblem(request, reply, known);
    const damaged = this.record.refusal(known.voter.tenant_id);
    if (damaged) return sendProblem(request, reply, damaged);
    const answer = await this.votes.vote(request, known.voter, known.claims.approval_id, vote);
    if (answer instanceof Refusal) sendProblem(request, reply, answer);
    else sendAnswer(reply, ok(await this.readable.value(known.voter.tenant_id, answer.body)));
  }

  /** The channel must still be there, and still act for somebody who is live. */
  private admitted(token: string): { claims: DecisionClaims; voter: Voter } | Refusal {
    const read = this.links.read(token);
    if (!read) return new Refusal('forbidden', 'this link is not one of ours');
    if (read.expired) return new Refusal('forbidden', 'this link has expired');
    if (this.room.is_stale) return new Refusal('unavailable', 'this gateway has not heard of changed keys for too long to trust them');
    const { claims } = read;
    const webhook = this.room.state.by_tenant.get(claims.tenant_id)?.webhooks.get(claims.webhook_id);
    if (webhook?.state !== 'active' || !webhook.acts_as)
      return new Refusal('forbidden', 'the channel of this link decides nothing any more');
    const { tenant_id } = claims;
    const { acts_as: principal, acts_as_issuer } = webhook;
    const issuer = acts_as_issuer ?? LOCAL_ISSUER;
    const at = { roles: principal.roles, at_ms: this.room.clock.now_ms(), as: 'voter' as const };
    if (!rolesLeft(this.room.state, tenant_id, { issuer, id: principal.id }, at)?.length)
      return new Refusal('forbidden', `${principal.id}, for whom the channel of this link decides, has none of its roles any more`);
    return { claims, voter: { tenant_id, principal, issuer, clearances: [] } };
  }
}
