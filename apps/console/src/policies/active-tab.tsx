import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Link } from '../navigation/link.js';
import { Activations } from './activations.js';
import { type ActivePolicy, useActivePolicy, usePolicy, versionHref } from './policy-queries.js';
import { rulesOf } from './rule.js';
import { RulesList } from './rules-list.js';
import { SimulationSetting } from './simulation-setting.js';
import { Since } from './since.js';

/** What decides now: the active version with its rules, and what was active before. */
export function ActiveTab() {
  const active = useActivePolicy();
  if (active.is_loading) return <Skeleton lines={6} />;
  if (!active.data) return active.problem ? <ErrorState problem={active.problem} retry={active.refresh} /> : null;
  return (
    <div class="policies-active">
      <div class="stack">
        {active.data.version === null ? <NoPolicy /> : <ActiveVersion active={active.data} version={active.data.version} />}
      </div>
      <aside class="stack" aria-label="About the active policy">
        <Activations history={active.data.history} />
        <SimulationSetting />
      </aside>
    </div>
  );
}

function NoPolicy() {
  return (
    <Panel>
      <EmptyState icon="policies" title="No policy is active">
        <p>
          Built-in rules and the default tiers of the tools decide. A policy adds your rules: what runs, what a person approves, what is
          denied.
        </p>
        <p>
          <Link href="/policies?tab=draft" class="button button-primary">
            Write the first rules
          </Link>
        </p>
      </EmptyState>
    </Panel>
  );
}

function ActiveVersion({ active, version }: { active: ActivePolicy; version: string }) {
  const { data, problem, is_loading, refresh } = usePolicy(version);
  const [latest] = active.history;
  return (
    <>
      <Panel>
        <div class="policies-version-head">
          <h2>
            <Link href={versionHref(version)}>
              Version <InertText text={version} />
            </Link>
          </h2>
          {data && <span class="soft">{rulesOf(data.bundle).length} rules</span>}
        </div>
        <Facts
          facts={[
            ['Active since', latest && <Since key="s" at={latest.activated_at} by={latest.by} />],
            ['Published', data && <Since key="p" at={data.published_at} by={data.published_by} />],
            ['Simulated', data && (data.simulation_digest ? 'before it was published' : 'no')],
            [
              'In shadow',
              active.shadow && (
                <span key="w">
                  <Link href={versionHref(active.shadow)}>
                    version <InertText text={active.shadow} />
                  </Link>
                  : recorded, never enforced
                </span>
              ),
            ],
            ['About', typeof data?.bundle.description === 'string' && <InertText key="d" text={data.bundle.description} look="block" />],
          ]}
        />
      </Panel>
      {is_loading && <Skeleton lines={8} />}
      {!data && problem && <ErrorState problem={problem} retry={refresh} />}
      {data && <RulesList bundle={data.bundle} />}
    </>
  );
}
