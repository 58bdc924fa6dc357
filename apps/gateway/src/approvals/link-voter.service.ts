import { Refusal } from '@countersign/calls';
import { LOCAL_ISSUER, rolesLeft } from '@countersign/domain';
import { Injectable } from '@nestjs/common';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { DecisionLinks } from '../notifications/decision-link.js';
import type { Voter } from './approvals.service.js';

/** The person who may vote through a decision link, and the request. */
export interface LinkVoter {
  approval_id: string;
  voter: Voter;
}

/** Turns the token of a decision link into the person that its channel acts as. */
@Injectable()
export class LinkVoterService {
  constructor(
    private readonly links: DecisionLinks,
    private readonly configuration: ConfigurationService,
  ) {}

  /** Refuses the link if its channel was removed or its person cannot vote now. */
  voterOf(token: string): LinkVoter | Refusal {
    const read = this.links.read(token);
    if (!read)
      return new Refusal('forbidden', 'the link was not issued by this installation, or was altered', { reason: 'decision_link_invalid' });
    if (read.expired) return new Refusal('forbidden', 'the link has expired', { reason: 'decision_link_expired' });
    if (this.configuration.is_stale)
      return new Refusal('unavailable', 'this gateway has not received key changes for too long to trust its copy: retry later', {
        reason: 'keys_stale',
      });
    const { tenant_id, webhook_id, approval_id } = read.claims;
    const { state, clock } = this.configuration;
    const webhook = state.by_tenant.get(tenant_id)?.webhooks.get(webhook_id);
    if (webhook?.state !== 'active' || !webhook.acts_as)
      return new Refusal('forbidden', 'the channel of this link no longer has `acts_as`', { reason: 'decision_link_revoked' });
    const { acts_as: principal, acts_as_issuer } = webhook;
    const issuer = acts_as_issuer ?? LOCAL_ISSUER;
    const at = { roles: principal.roles, at_ms: clock.now_ms(), as: 'voter' as const };
    if (!rolesLeft(state, tenant_id, { issuer, id: principal.id }, at)?.length)
      return new Refusal('forbidden', `${principal.id}, whom the channel of this link acts as, no longer has any of its roles`, {
        reason: 'decision_link_revoked',
      });
    return { approval_id, voter: { tenant_id, principal, issuer, clearances: [] } };
  }
}
