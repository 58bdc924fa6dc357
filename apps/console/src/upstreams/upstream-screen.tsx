import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Notice } from '../elements/notice.js';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Tabs } from '../elements/tabs.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { useNavigate, useParameter, useQueryState } from '../navigation/navigation.js';
import { BulkTab } from './bulk-tab.js';
import { ChangesTab } from './changes-tab.js';
import { FactsTab } from './facts-tab.js';
import { HealthBadge } from './state-words.js';
import { ToolView } from './tool-view.js';
import { ToolsTab } from './tools-tab.js';
import { placeOf, READERS, SETTERS, type Upstream, upstreamPath, useUpstream } from './upstream.js';
import { UpstreamForm } from './upstream-form.js';
import { UpstreamRemoval } from './upstream-removal.js';
import { Unreadable } from './upstreams-screen.js';
import './upstreams.css';

const Back = () => (
  <Link href="/upstreams" class="upstream-back">
    All upstreams
  </Link>
);

/** `/upstreams/:name`: one upstream with its tools. */
export default function UpstreamScreen() {
  const name = useParameter('name');
  const unreadable = refusalOf(useSession(), READERS);
  const { data, problem, is_loading, refresh } = useUpstream(name);
  if (data) return <OneUpstream key={name} upstream={data} />;
  const is_missing = problem?.status === 404;
  return (
    <Screen title={is_missing ? 'No such upstream' : name.slice(0, 80)} about={<Back />}>
      {unreadable && <Unreadable why={unreadable} />}
      {is_loading && <Skeleton lines={8} label="Loading the upstream" />}
      {is_missing && (
        <EmptyState icon="upstreams" title="There is no such upstream">
          No upstream is called <code>{name.slice(0, 80)}</code> here. It may have been removed.
        </EmptyState>
      )}
      {problem && !is_missing && <ErrorState problem={problem} retry={refresh} />}
    </Screen>
  );
}

function OneUpstream({ upstream }: { upstream: Upstream }) {
  const { name, url, command } = upstream;
  const [tool] = useQueryState('tool');
  const refused = refusalOf(useSession(), SETTERS);
  return (
    <Screen
      title={name}
      about={
        <span class="row">
          <Back />
          <InertText text={placeOf({ url, command })} characters_max={160} mono />
        </span>
      }
      actions={<Actions upstream={upstream} />}
    >
      <HealthLine upstream={upstream} />
      {refused && <p class="faint">To change or remove it: {refused}</p>}
      {tool === '' ? <Parts upstream={upstream} /> : <ToolView key={tool} upstream={upstream} tool={tool} />}
    </Screen>
  );
}

function Actions({ upstream }: { upstream: Upstream }) {
  const refused = refusalOf(useSession(), SETTERS);
  const [mode, setMode] = useState<'change' | 'remove'>();
  const go = useNavigate();
  const close = () => setMode(undefined);
  return (
    <>
      <Button onClick={() => setMode('change')} disabled={refused !== undefined} title={refused}>
        Change
      </Button>
      <Button look="danger" onClick={() => setMode('remove')} disabled={refused !== undefined} title={refused}>
        Remove
      </Button>
      {mode === 'change' && <UpstreamForm shown={upstream} onClose={close} />}
      {mode === 'remove' && <UpstreamRemoval upstream={upstream} onCancel={close} onRemoved={() => go('/upstreams', { replace: true })} />}
    </>
  );
}

/** Whether it can be listed, since when, and why not. */
function HealthLine({ upstream: { health, server } }: { upstream: Upstream }) {
  return (
    <>
      <div class="row upstream-health">
        <HealthBadge health={health} />
        {health.since !== null && (
          <span class="soft">
            since <RelativeTime at={health.since} />
          </span>
        )}
        {health.listed_at !== null && (
          <span class="soft">
            last listing with news <RelativeTime at={health.listed_at} />
          </span>
        )}
        {server !== null && (
          <span class="soft">
            server <InertText text={server} characters_max={80} />
          </span>
        )}
      </div>
      {health.state === 'not_listed' && <p class="soft">An executor lists it now. Its tools appear here by themselves.</p>}
      {health.state === 'unhealthy' && (
        <Notice
          tone="bad"
          title={`It cannot be listed (${(health.fault ?? 'unknown').replaceAll('_', ' ')}). Its tools stay as they were.`}
        >
          {health.reason !== null && <InertText text={health.reason} look="block" characters_max={400} />}
        </Notice>
      )}
    </>
  );
}

const TABS = [
  { id: 'tools', label: 'Tools' },
  { id: 'classify', label: 'Classify' },
  { id: 'changes', label: 'Changes' },
  { id: 'facts', label: 'Settings' },
] as const;

function Parts({ upstream }: { upstream: Upstream }) {
  const [tab] = useQueryState('tab', 'tools');
  const go = useNavigate();
  const counts = { tools: upstream.tools.length, classify: upstream.tools.filter(({ state }) => state === 'unclassified').length };
  const tabs = TABS.map((one) => ({ ...one, count: one.id === 'tools' || one.id === 'classify' ? counts[one.id] : undefined }));
  return (
    <Tabs
      label="Parts of the upstream"
      tabs={tabs}
      selected={tab}
      onSelect={(id) => go(`${upstreamPath(upstream.name)}?tab=${id}`, { replace: true })}
    >
      {tab === 'classify' ? (
        <BulkTab upstream={upstream} />
      ) : tab === 'changes' ? (
        <ChangesTab upstream={upstream} />
      ) : tab === 'facts' ? (
        <FactsTab upstream={upstream} />
      ) : (
        <ToolsTab upstream={upstream} />
      )}
    </Tabs>
  );
}
