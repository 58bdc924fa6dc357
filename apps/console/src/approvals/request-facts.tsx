import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import type { Tone } from '../elements/status.js';
import type { Approval } from './approval.js';
import { TimeLeft } from './inbox-row.js';
import { othersNeeded } from './others-needed.js';
import { AskedParts } from './request-parts.js';
import { usePerson } from './use-person.js';

/** What an approver must know, in the order in which it matters. */
export function RequestFacts({ approval }: { approval: Approval }) {
  const { person, delegators } = usePerson();
  const { requested_by, unusual, undo, status } = approval;
  return (
    <dl class="facts">
      <Fact icon="person" name="Asked by">
        {requested_by ? <InertText text={requested_by.text} characters_max={200} /> : 'Unknown'}
      </Fact>
      <Fact icon="policies" name="Why">
        <AskedParts approval={approval} />
      </Fact>
      <Fact icon="warning" name="Unusual" tone={unusual.length > 0 ? 'warn' : undefined}>
        {unusual.length === 0 ? <span class="soft">Nothing stands out</span> : <UnusualFacts approval={approval} />}
      </Fact>
      <Fact icon="undo" name="Undo" tone={undo && !undo.possible ? 'bad' : undefined}>
        {undo ? <InertText text={undo.text} characters_max={300} /> : 'Unknown'}
      </Fact>
      {status === 'pending' && (
        <>
          <Fact icon="approvals" name="Others">
            <InertText text={othersNeeded(approval, person, delegators)} characters_max={300} />
          </Fact>
          <Fact icon="clock" name="Time left">
            <TimeLeft expires_at={approval.expires_at} requested_at={approval.requested_at} />
            <span class="soft">
              , then <InertText text={afterwards(approval)} characters_max={200} />
            </span>
          </Fact>
        </>
      )}
    </dl>
  );
}

function Fact({ icon, name, tone, children }: { icon: IconName; name: string; tone?: Tone | undefined; children: ComponentChildren }) {
  return (
    <div class={`fact ${tone ? `fact-toned tone-${tone}` : ''}`}>
      <dt>
        <Icon name={icon} />
        {name}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function UnusualFacts({ approval: { unusual } }: { approval: Approval }) {
  return (
    <ul class="unusual">
      {unusual.slice(0, 20).map(({ code, text }, at) => (
        <li key={`${code} ${at}`}>
          <InertText text={text} characters_max={240} />
        </li>
      ))}
    </ul>
  );
}

/** What happens at the deadline. */
function afterwards({ asked_because }: Approval): string {
  const first = asked_because.filter(({ met }) => !met).sort((a, b) => a.time_left_ms - b.time_left_ms)[0];
  if (first?.afterwards.kind !== 'escalate') return 'it is denied';
  const { approver_roles, people } = first.afterwards;
  return `it goes to ${[...approver_roles, ...people].join(', ')}`;
}
