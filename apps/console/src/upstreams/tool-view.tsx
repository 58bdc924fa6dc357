import { useState } from 'preact/hooks';
import { EffectTag } from '../effects/effect-tag.js';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Notice } from '../elements/notice.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Tag } from '../elements/status-badge.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import type { ClassificationFields } from './classification.js';
import { ClassifyDialog } from './classify-dialog.js';
import { DeclaredFacts } from './declared-facts.js';
import { DefinitionChange } from './definition-change.js';
import { DefinitionView } from './definition-view.js';
import { MEANINGS, ToolStateBadge } from './state-words.js';
import { CLASSIFIERS, type Upstream, type UpstreamTool, upstreamPath, useUpstreamTool } from './upstream.js';

/** One tool of an upstream: what agents see, what the server says now, and what operators declared. */
export function ToolView({ upstream, tool }: { upstream: Upstream; tool: string }) {
  const { data, problem, is_loading, refresh } = useUpstreamTool(upstream.name, tool);
  return (
    <div class="stack">
      <Link href={upstreamPath(upstream.name)} class="upstream-back">
        All tools of {upstream.name}
      </Link>
      {is_loading && <Skeleton lines={6} label="Loading the tool" />}
      {problem && !data && <ErrorState problem={problem} retry={refresh} />}
      {data === null && (
        <EmptyState icon="tools" title="There is no such tool">
          The upstream has no tool of this name. It may never have been listed, or the link is not complete.
        </EmptyState>
      )}
      {data && <OneTool upstream={upstream} tool={data} />}
    </div>
  );
}

function OneTool({ upstream, tool }: { upstream: Upstream; tool: UpstreamTool }) {
  const refused = refusalOf(useSession(), CLASSIFIERS);
  const [sees, setSees] = useState<ClassificationFields['sees']>();
  const { state, pinned, listed, is_classified } = tool;
  const may_keep = pinned !== null && state !== 'suspended';
  return (
    <>
      <Head tool={tool} />
      {state !== 'active' && (
        <Notice tone={state === 'suspended' ? 'bad' : state === 'gone' ? 'neutral' : 'warn'} title={MEANINGS[state]}>
          {tool.why !== null && state !== 'pending_change' && <InertText text={sentence(tool.why)} characters_max={400} />}
        </Notice>
      )}
      {refused && <p class="soft">{refused}</p>}
      {state !== 'gone' && (
        <DefinitionChange tool={tool} refused={refused} onAccept={() => setSees('listed')} onRefuse={() => setSees('pinned')} />
      )}
      {pinned ? (
        <DefinitionView title="What agents see" definition={pinned} />
      ) : (
        listed && <DefinitionView title="What the server says now" definition={listed} />
      )}
      <Panel
        title="What operators declared"
        actions={
          state !== 'gone' &&
          (may_keep || !listed) &&
          pinned && (
            <Button onClick={() => setSees('pinned')} disabled={refused !== undefined} title={refused}>
              {state === 'suspended' ? 'Allow again' : is_classified ? 'Change' : 'Classify'}
            </Button>
          )
        }
      >
        <DeclaredFacts tool={tool} />
      </Panel>
      {sees && <ClassifyDialog upstream={upstream} tool={tool} sees={sees} onClose={() => setSees(undefined)} />}
    </>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function Head({ tool }: { tool: UpstreamTool }) {
  const { name, alias } = tool;
  return (
    <div class="upstream-tool-head">
      <h2>
        <InertText text={tool.tool} characters_max={200} mono />
      </h2>
      <div class="row">
        <ToolStateBadge state={tool.state} />
        {tool.is_classified ? <EffectTag effect_class={tool.effect_class} /> : <Tag tone="bad">as high risk</Tag>}
        {name === null ? (
          <span class="soft">It has no name for callers: two tools have the same.</span>
        ) : (
          <Link href={pathTo('/tools/:name', { name })}>
            <InertText text={name} characters_max={80} mono />
          </Link>
        )}
        <span class="soft">version {tool.version}</span>
        {alias !== null && (
          <span class="soft">
            alias <InertText text={alias} characters_max={80} mono />
          </span>
        )}
      </div>
    </div>
  );
}
