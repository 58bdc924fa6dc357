import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Approval, AskedPart } from './approval.js';

const PARTS_SHOWN = 10;
const PEOPLE_SHOWN = 5;

/** Why approval is asked: each rule in words, who can meet it, and who has voted. */
export function AskedParts({ approval: { asked_because, status } }: { approval: Approval }) {
  return (
    <ul class="parts">
      {asked_because.slice(0, PARTS_SHOWN).map((part) => (
        <li key={part.rule ?? 'default'} class="part">
          <div class="part-rule">
            <InertText text={part.text} characters_max={240} />
            {(part.quorum > 1 || part.met) && <Tag tone={part.met ? 'good' : 'neutral'}>{`${part.approvals} of ${part.quorum}`}</Tag>}
          </div>
          {status === 'pending' && !part.met && (
            <div class="soft">
              <InertText text={whoCan(part)} characters_max={400} />
            </div>
          )}
          {part.shortfall && (
            <div class="part-shortfall">
              <InertText text={part.shortfall} characters_max={240} />
            </div>
          )}
          {part.voted.map(({ voter_id, vote, voted_at, on_behalf_of }) => (
            <div key={voter_id} class="soft">
              <InertText text={voter_id} characters_max={60} /> {VOTED[vote] ?? 'voted'}
              {on_behalf_of && (
                <>
                  {' '}
                  for <InertText text={on_behalf_of} characters_max={60} />
                </>
              )}
              {voted_at && (
                <>
                  {' '}
                  <RelativeTime at={voted_at} />
                </>
              )}
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

const VOTED: Readonly<Record<string, string>> = {
  approve: 'agreed',
  deny: 'denied',
  delegate: 'passed the vote on',
  edit: 'edited the inputs',
};

function whoCan({ can_decide, can_decide_more, approver_roles, people }: AskedPart): string {
  const asked = [...approver_roles.map((role) => `role ${role}`), ...people].join(', ');
  if (can_decide.length === 0) return can_decide_more ? `Can decide: ${asked}` : `Nobody can decide now (${asked})`;
  const rest = can_decide.length - PEOPLE_SHOWN;
  const more = rest > 0 ? ` and ${rest} more` : can_decide_more ? ' and others' : '';
  return `Can decide: ${can_decide.slice(0, PEOPLE_SHOWN).join(', ')}${more} (${asked})`;
}
