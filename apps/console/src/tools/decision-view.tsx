import type { components } from '@countersign/client/generated/api';
import type { ComponentChildren } from 'preact';
import { Diff } from '../elements/diff.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import type { Tone } from '../elements/status.js';
import { StatusBadge } from '../elements/status-badge.js';
import { wordFor } from '../elements/word-for.js';
import { TIERS } from './tool-version.js';

/** What policy would decide about a call. */
export type Decision = components['schemas']['EffectiveTier'];

const EFFECTS: Readonly<Record<Decision['effect'], readonly [word: string, tone: Tone]>> = {
  allow: ['It would run', 'good'],
  require_approval: ['It would wait for an approval', 'warn'],
  deny: ['It would be denied', 'bad'],
  defer: ['It would wait', 'busy'],
};

const NOTES_SHOWN = 12;

/** The decision, why, and who would have to agree. */
export function DecisionView({ decision, inputs }: { decision: Decision; inputs: unknown }) {
  const [word, tone] = EFFECTS[decision.effect];
  const { explanation, mapped } = decision;
  return (
    <Panel title="What policy decides">
      <p class="decision-word">
        <StatusBadge status={decision.effect} word={word} tone={tone} />
      </p>
      <Facts
        facts={[
          ['Because of rule', <InertText key="rule" text={decision.rule} characters_max={160} mono />],
          ['Reason', decision.reason && <InertText text={decision.reason.message} characters_max={400} />],
          ['Tier', wordFor(TIERS, decision.tier)],
          ['Policy', decision.bundle_version ?? 'built in'],
          ['Approval', decision.approval && <Approval approval={decision.approval} />],
          ['Waits for', decision.defer && waitText(decision.defer)],
        ]}
      />
      {mapped && (
        <details>
          <summary>A mapping changes the inputs (version {mapped.mapping_version})</summary>
          <Diff before={inputs} after={mapped.inputs} names={['Sent', 'Mapped']} look="rows" />
        </details>
      )}
      {explanation && (
        <details>
          <summary>All rules that were looked at</summary>
          <div class="stack-tight decision-notes">
            <Notes title="Applied" notes={explanation.matched.map((rule) => ({ rule, why: '' }))} />
            <Notes title="Did not apply" notes={explanation.would_have} />
            <Notes title="Could not be evaluated" notes={explanation.errors} />
          </div>
        </details>
      )}
    </Panel>
  );
}

function Approval({ approval }: { approval: NonNullable<Decision['approval']> }) {
  return (
    <ul>
      {approval.parts.slice(0, NOTES_SHOWN).map(({ rule, approver_roles, people, quorum }, at) => (
        <li key={at}>
          {quorum} of {[...approver_roles, ...people].slice(0, 10).join(', ') || 'the approvers'}{' '}
          <span class="faint">
            by <InertText text={rule} characters_max={120} mono />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Notes({ title, notes }: { title: string; notes: readonly { rule: string; why: string }[] }): ComponentChildren {
  if (notes.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="stack-tight">
        {notes.slice(0, NOTES_SHOWN).map(({ rule, why }) => (
          <li key={rule + why}>
            <InertText text={rule} characters_max={160} mono />{' '}
            <span class="soft">{why !== '' && <InertText text={why} characters_max={300} />}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const WAITS = { call_ended: 'the end of another call', time: 'a time', limit_free: 'a free limit', again: 'another look' } as const;

const waitText = ({ until, on_timeout }: NonNullable<Decision['defer']>): string =>
  `${WAITS[until]}, and then ${on_timeout === 'deny' ? 'it is denied' : 'a person is asked'}`;
