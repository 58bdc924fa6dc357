import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { useToast } from '../elements/toast.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useForbidden } from './allowed.js';
import { AuditPanel } from './audit-panel.js';
import { EvaluationPanel } from './evaluation-panel.js';
import { LifecycleDialog } from './lifecycle-dialog.js';
import { LifecycleBadge } from './tool-marks.js';
import type { Tool, ToolVersion } from './tool-version.js';

export type LifecycleState = 'active' | 'deprecated' | 'blocked';
const DECIDERS = ['tool_author', 'policy_admin'];

const ACTIONS: readonly { state: LifecycleState; label: string; look: 'primary' | 'default' | 'danger' }[] = [
  { state: 'active', label: 'Promote', look: 'default' },
  { state: 'deprecated', label: 'Deprecate', look: 'default' },
  { state: 'blocked', label: 'Block', look: 'danger' },
];

/** Whether a version may be called, and the evidence for it. */
export function LifecyclePart({ tool, version }: { tool: Tool; version: ToolVersion }) {
  const [asked, setAsked] = useState<LifecycleState>();
  const forbidden = useForbidden(DECIDERS);
  const { release, lifecycle } = version;
  return (
    <div class="stack">
      <Panel
        title="State"
        actions={ACTIONS.filter(({ state }) => state !== lifecycle).map(({ state, label, look }) => (
          <Button key={state} look={look} disabled={forbidden !== undefined} title={forbidden} onClick={() => setAsked(state)}>
            {label}
          </Button>
        ))}
      >
        {forbidden && <p class="soft">{forbidden}</p>}
        <Facts
          facts={[
            ['Now', <LifecycleBadge key="now" lifecycle={lifecycle} />],
            ['Blocked from', release.sunset_at?.slice(0, 10)],
            ['Successor', release.use_instead && <InertText text={release.use_instead} characters_max={200} mono />],
            ['Reason', release.deprecation?.reason && <InertText text={release.deprecation.reason} characters_max={400} />],
            ['Missing for promotion', release.gate_reason && <InertText text={release.gate_reason} characters_max={400} />],
          ]}
        />
      </Panel>
      <PinPanel version={version} forbidden={forbidden} />
      <EvaluationPanel version={version} />
      <AuditPanel version={version} />
      {asked && <LifecycleDialog tool={tool} version={version} state={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

/** Accepts the contract that a version has now. */
function PinPanel({ version, forbidden }: { version: ToolVersion; forbidden: string | undefined }) {
  const { name, version: number, pin, release } = version;
  const toast = useToast();
  const accept = useMutation(
    (api, _: undefined) =>
      api.PUT('/v1/tools/{name}/versions/{version}/pin', { params: { path: { name, version: number } }, body: { pin } }),
    () => [{ kind: 'tool' }],
  );
  const run = async () => {
    const answer = await accept.run(undefined);
    if (answer.ok) toast({ tone: 'good', text: 'The contract is accepted.' });
  };
  const is_same = release.drift === 'ok';
  return (
    <Panel
      title="Accepted contract"
      actions={
        <Button disabled={forbidden !== undefined} title={forbidden} is_busy={accept.is_pending} onClick={run}>
          Accept this contract
        </Button>
      }
    >
      <p>
        <StatusBadge status="pin" tone={is_same ? 'good' : 'bad'} word={is_same ? 'As accepted' : 'It differs from the accepted one'} />
      </p>
      {!is_same && <InertText text={release.drift} look="block" />}
      <p class="field-hint">
        A pin fixes the parts of the contract that callers rely on. A tool that registers other ones is suspended until somebody accepts
        them. Pin <code>{pin.slice(0, 16)}…</code>
      </p>
      {accept.problem && <ProblemNote problem={accept.problem} />}
    </Panel>
  );
}
