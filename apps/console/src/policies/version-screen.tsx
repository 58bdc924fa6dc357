import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Facts } from '../elements/facts.js';
import { Select } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { Panel, Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Tabs } from '../elements/tabs.js';
import { Link } from '../navigation/link.js';
import { useParameter, useQueryState } from '../navigation/navigation.js';
import { ActivateDialog } from './activate-dialog.js';
import { isRollback } from './activation.js';
import { Comparison } from './comparison.js';
import { isVersionName, type Policy, useActivePolicy, useBundle, usePolicy, useVersions, versionWord } from './policy-queries.js';
import { useChangeRefusal } from './rights.js';
import { rulesOf } from './rule.js';
import { RulesList } from './rules-list.js';
import { SimulationPanel } from './simulation-panel.js';
import { Since } from './since.js';
import { VersionState } from './versions-tab.js';
import './policies.css';

const TABS = [
  { id: 'changes', label: 'Changes' },
  { id: 'rules', label: 'Rules' },
  { id: 'simulation', label: 'Simulation' },
];

/** `/policies/:version`: a published version, what it changes, and its activation. */
export default function VersionScreen() {
  const version = useParameter('version');
  const policy = usePolicy(version);
  const title = `Policy version ${version.slice(0, 64)}`;
  return (
    <Screen
      title={title}
      about={
        <Link href="/policies?tab=versions" class="soft">
          All versions
        </Link>
      }
      actions={policy.data && <VersionActions policy={policy.data} />}
    >
      {!isVersionName(version) && (
        <EmptyState title="There is no such version">
          The link may be incomplete. A version has 1 to 64 letters, digits and . _ -.
        </EmptyState>
      )}
      {policy.is_loading && <Skeleton lines={6} />}
      {!policy.data && policy.problem && <ErrorState problem={policy.problem} retry={policy.refresh} />}
      {policy.data && <VersionContent policy={policy.data} />}
    </Screen>
  );
}

function VersionActions({ policy }: { policy: Policy }) {
  const [is_activating, setActivating] = useState(false);
  const refused = useChangeRefusal();
  const active = useActivePolicy().data;
  const before = usePolicy(active?.version).data;
  const is_active = active?.version === policy.version;
  return (
    <>
      <Link href={`/policies?tab=draft&from=${encodeURIComponent(policy.version)}`} class="button">
        Edit a copy
      </Link>
      {active && !is_active && (
        <Button look="primary" disabled={refused !== undefined} title={refused} onClick={() => setActivating(true)}>
          {isRollback(policy, before) ? 'Roll back to this' : 'Activate'}
        </Button>
      )}
      {active && is_active && (
        <Button look="danger" disabled={refused !== undefined} title={refused} onClick={() => setActivating(true)}>
          Deactivate
        </Button>
      )}
      {is_activating && active && (
        <ActivateDialog version={is_active ? null : policy.version} active={active} onClose={() => setActivating(false)} />
      )}
    </>
  );
}

function VersionContent({ policy }: { policy: Policy }) {
  const [tab, setTab] = useQueryState('tab', 'changes');
  const active = useActivePolicy().data;
  const refused = useChangeRefusal();
  const { version, published_by, published_at, simulation_digest, bundle, digest } = policy;
  const state = active ? { active: active.version === version, shadow: active.shadow === version } : policy;
  return (
    <>
      <Panel>
        <Facts
          facts={[
            ['State', <VersionState key="s" policy={state} />],
            ['Published', <Since key="p" at={published_at} by={published_by} />],
            ['Simulated', simulation_digest ? 'before it was published' : 'no'],
            ['Rules', String(rulesOf(bundle).length)],
            ['About', typeof bundle.description === 'string' && <InertText key="d" text={bundle.description} look="block" />],
            ['Digest', <code key="h">{digest.slice(0, 16)}…</code>],
          ]}
        />
        {refused && <p class="soft">{refused}</p>}
      </Panel>
      <Tabs label="Parts of the version" tabs={TABS} selected={tab} onSelect={setTab}>
        {tab === 'rules' ? (
          <RulesList bundle={bundle} />
        ) : tab === 'simulation' ? (
          <SimulationPanel simulated={{ version }} digest={digest} />
        ) : (
          <Changes policy={policy} active_version={active?.version} />
        )}
      </Tabs>
    </>
  );
}

/** Against the active version at first, or against any other. */
function Changes({ policy, active_version }: { policy: Policy; active_version: string | null | undefined }) {
  const versions = useVersions().items ?? [];
  const usual = active_version === policy.version || !active_version ? (formerOf(policy, versions) ?? '') : active_version;
  const [against, setAgainst] = useQueryState('against');
  const chosen = against === 'none' ? '' : isVersionName(against) ? against : usual;
  const before = useBundle(chosen === '' ? null : chosen);
  const names = [versionWord(chosen === '' ? null : chosen), versionWord(policy.version)] as const;
  const others = [...versions]
    .filter(({ version }) => version !== policy.version)
    .sort((a, b) => (a.published_at < b.published_at ? 1 : -1));
  const options = [...others.map(({ version }) => [version, optionWord(version, active_version)] as const), ['none', 'No policy'] as const];
  return (
    <div class="stack">
      <div class="policies-against">
        <Select label="Compared with" value={chosen === '' ? 'none' : chosen} onValue={setAgainst} options={options} />
      </div>
      {before.is_loading && <Skeleton lines={6} />}
      {!before.data && before.problem && <ErrorState problem={before.problem} retry={before.refresh} />}
      {before.data && <Comparison before={before.data} after={policy.bundle} names={names} />}
    </div>
  );
}

const optionWord = (version: string, active: string | null | undefined): string =>
  `Version ${version}${version === active ? ' (active)' : ''}`;

/** The version that was published before this one. */
function formerOf({ published_at, version }: Policy, versions: readonly { version: string; published_at: string }[]): string | undefined {
  const earlier = versions.filter((one) => one.version !== version && one.published_at < published_at);
  return earlier.sort((a, b) => (a.published_at < b.published_at ? 1 : -1))[0]?.version;
}
