import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import type { Call } from './call.js';

const TIERS: Readonly<Record<string, string>> = {
  tier_0_safe: 'safe',
  tier_1_auto: 'automatic',
  tier_2_approval_required: 'needs an approval',
  tier_3_blocked: 'blocked',
};
const EFFECTS: Readonly<Record<string, string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  require_approval: 'Needs an approval',
  defer: 'Held back',
};

/** Why a call was let through or not, and who agreed. */
export function CallDecision({ call }: { call: Call }) {
  const { decision, approval } = call;
  if (!decision) return null;
  const { effect, rule, tier, bundle_version, revision, rules_matched, defer } = decision;
  return (
    <Panel title="Decision">
      <Facts
        facts={[
          ['Decision', EFFECTS[effect] ?? effect],
          ['Rule', rule && <InertText text={rule} characters_max={120} mono />],
          ['Tier', tier && <Tag tone={tier === 'tier_3_blocked' ? 'bad' : 'neutral'}>{TIERS[tier] ?? tier}</Tag>],
          ['Policy', bundle_version && <InertText text={bundle_version} characters_max={80} />],
          ['Revision', revision > 1 ? `${revision}: it was decided ${revision} times` : null],
          [
            'Also matched',
            (rules_matched ?? []).length > 1 ? <InertText text={(rules_matched ?? []).join(', ')} characters_max={300} /> : null,
          ],
          ['Held back until', defer && (defer.wake_at ? <RelativeTime at={defer.wake_at} /> : defer.until.replaceAll('_', ' '))],
        ]}
      />
      {(decision.rule_errors ?? []).map((error) => (
        <p key={error.rule} class="notice notice-bad">
          Rule {error.rule.slice(0, 80)} could not be evaluated: <InertText text={error.why} characters_max={300} />
        </p>
      ))}
      {approval && (
        <div class="stack-tight">
          <h3>Approval</h3>
          <div class="row">
            <StatusBadge status={approval.status} />
            <Link href={`/approvals/${encodeURIComponent(approval.approval_id)}`}>Open</Link>
          </div>
          <Facts
            facts={[
              ['Decided by', approval.decided_by && <InertText text={approval.decided_by} characters_max={80} />],
              ['When', approval.decided_at && <RelativeTime at={approval.decided_at} />],
              ['Reason', approval.reason && <InertText text={approval.reason} look="block" />],
              ['Asks', approval.status === 'pending' ? `${approval.quorum ?? 1} of ${approval.approver_roles.join(', ')}` : null],
            ]}
          />
        </div>
      )}
    </Panel>
  );
}
