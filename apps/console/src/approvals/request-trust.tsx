import type { ComponentProps } from 'preact';
import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { type QueryResult, useQuery } from '../gateway/use-query.js';
import { TrustTerms } from '../trust/trust-terms.js';
import type { Approval } from './approval.js';

type Trust = NonNullable<Approval['trust']>;

/** The trust scores of the tool and the agent, with the terms that they add up from, which are read when this is shown. */
export function TrustFacts({ trust: { tool, agent }, call }: { trust: Trust; call: Approval['call'] }) {
  return (
    <div class="stack">
      <Score name="Tool" trusted={tool}>
        {tool.score !== null && call?.tool && <ToolTerms name={call.tool} version={call.version ?? undefined} />}
      </Score>
      {agent && (
        <Score name="Agent" trusted={agent}>
          {agent.score !== null && call?.principal && <AgentTerms agent={call.principal.id} />}
        </Score>
      )}
    </div>
  );
}

function Score({ name, trusted: { score, band, text }, children }: { name: string; trusted: Trust['tool']; children: unknown }) {
  return (
    <section class="stack-tight">
      <h4>
        {name}: {score === null ? 'no score' : `${score.toFixed(2)}, ${band}`}
      </h4>
      <p class="soft">
        <InertText text={text} characters_max={300} />
      </p>
      {children}
    </section>
  );
}

function ToolTerms({ name, version }: { name: string; version: string | undefined }) {
  const found = useQuery({
    kind: 'tool',
    key: ['trust', name, version],
    read: (api, signal) =>
      api.GET('/v1/tools/{name}/trust', { params: { path: { name }, query: { ...(version && { version }) } }, signal }),
  });
  return <Terms found={found} terms={found.data?.terms} />;
}

function AgentTerms({ agent }: { agent: string }) {
  const found = useQuery({
    kind: 'other',
    key: ['trust-of-agent', agent],
    read: (api, signal) => api.GET('/v1/trust/agents/{agent}', { params: { path: { agent } }, signal }),
  });
  return <Terms found={found} terms={found.data?.terms} />;
}

function Terms({ found, terms }: { found: QueryResult<unknown>; terms: ComponentProps<typeof TrustTerms>['terms'] | null | undefined }) {
  if (found.is_loading) return <Skeleton lines={3} />;
  if (!found.data && found.problem) return <ErrorState problem={found.problem} retry={found.refresh} />;
  return terms && terms.length > 0 ? <TrustTerms terms={terms} /> : null;
}
