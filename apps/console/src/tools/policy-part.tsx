import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Facts } from '../elements/facts.js';
import { Select } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { Panel } from '../elements/screen.js';
import { ErrorState, ProblemNote, Skeleton } from '../elements/states.js';
import { RelativeTime } from '../elements/time-ago.js';
import { wordFor } from '../elements/word-for.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useQuery } from '../gateway/use-query.js';
import { useForbidden } from './allowed.js';
import { setMapping, setTier } from './tool-settings.js';
import { TIERS, type ToolVersion } from './tool-version.js';

type Tier = 'tier_0_safe' | 'tier_1_auto' | 'tier_2_approval_required' | 'tier_3_blocked';

/** What policy does with calls of a tool before its inputs are known, and the mapping in force. */
export function PolicyPart({ version }: { version: ToolVersion }) {
  return (
    <div class="stack">
      <TierPanel version={version} />
      <MappingPanel tool={version.name} />
      <p class="soft">Rules also look at the inputs, the caller and the history: “Try a call” shows the decision for one call.</p>
    </div>
  );
}

function TierPanel({ version: { name, default_tier } }: { version: ToolVersion }) {
  const tier = useQuery({
    kind: 'configuration',
    key: ['tier', name],
    read: (api, signal) => setTier(api, name, signal),
  });
  if (tier.is_loading) return <Skeleton lines={3} />;
  if (!tier.data) return tier.problem ? <ErrorState problem={tier.problem} retry={tier.refresh} /> : null;
  const { set } = tier.data;
  const effective = set?.tier ?? default_tier;
  return (
    <Panel title="Tier">
      <Facts
        facts={[
          ['In force', <strong key="in-force">{wordFor(TIERS, effective)}</strong>],
          ['Set by', set?.tier ? <InertText text={set.rule_id} characters_max={120} mono /> : 'the default of its effect class'],
          ['Default', wordFor(TIERS, default_tier)],
          [
            'Approvers',
            set && effective === 'tier_2_approval_required' && `${set.quorum} of ${set.approver_roles.join(', ') || 'named people'}`,
          ],
          ['Changed', set?.tier && <RelativeTime at={set.changed_at} />],
        ]}
      />
      <TierForm tool={name} tier={effective as Tier} is_set={set?.tier !== undefined && set.tier !== null} />
    </Panel>
  );
}

function TierForm({ tool, tier, is_set }: { tool: string; tier: Tier; is_set: boolean }) {
  const [chosen, setChosen] = useState(tier);
  const forbidden = useForbidden(['policy_admin']);
  const changes = () => [{ kind: 'configuration' as const }];
  const path = { tool };
  const change = useMutation(
    (api, next: Tier) => api.PUT('/v1/policies/tools/{tool}', { params: { path }, body: { tier: next } }),
    changes,
  );
  const reset = useMutation((api, _: undefined) => api.DELETE('/v1/policies/tools/{tool}', { params: { path } }), changes);
  const problem = change.problem ?? reset.problem;
  return (
    <>
      <div class="row tier-form">
        <Select label="Set another tier" value={chosen} onValue={(value) => setChosen(value as Tier)} options={Object.entries(TIERS)} />
        <Button
          disabled={forbidden !== undefined || chosen === tier}
          title={forbidden}
          is_busy={change.is_pending}
          onClick={() => change.run(chosen)}
        >
          Set
        </Button>
        {is_set && (
          <Button
            look="quiet"
            disabled={forbidden !== undefined}
            title={forbidden}
            is_busy={reset.is_pending}
            onClick={() => reset.run(undefined)}
          >
            Back to the default
          </Button>
        )}
      </div>
      {forbidden && <p class="soft">{forbidden}</p>}
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

function MappingPanel({ tool }: { tool: string }) {
  const { data, problem, is_loading, refresh } = useQuery({
    kind: 'configuration',
    key: ['mapping', tool],
    read: (api, signal) => setMapping(api, tool, signal),
  });
  if (is_loading) return <Skeleton lines={2} />;
  if (!data) return problem ? <ErrorState problem={problem} retry={refresh} /> : null;
  const { set } = data;
  if (!set || set.definition === null)
    return (
      <Panel title="Mapping">
        <p class="soft">None: the tool receives the inputs as agents send them.</p>
      </Panel>
    );
  return (
    <Panel title="Mapping">
      <Facts
        facts={[
          ['In force since', set.in_force_from === null ? 'not yet' : <RelativeTime key="from" at={set.in_force_from} />],
          ['Newest', `version ${set.version}${set.state === 'waits_for_activation' ? ', waits for a second person' : ''}`],
          ['Changed', <RelativeTime key="changed" at={set.changed_at} />],
          ['By', <InertText key="by" text={set.changed_by.id} characters_max={120} />],
        ]}
      />
      <JsonTree value={set.definition} open_levels={2} />
    </Panel>
  );
}
