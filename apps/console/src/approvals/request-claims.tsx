import { InertText } from '../elements/inert.js';
import type { Approval } from './approval.js';

const SHOWN = 400;

/** What the agent wrote about its call: a claim, below the facts and marked as one. */
export function RequestClaims({ approval: { call } }: { approval: Approval }) {
  const context = call?.context;
  const claims = [
    ['Reason', context?.rationale],
    ['Purpose', context?.purpose],
    ['Step', context?.step],
  ].filter((one): one is [string, string] => typeof one[1] === 'string' && one[1] !== '');
  if (claims.length === 0) return null;
  return (
    <section class="claims" aria-label="What the agent says">
      <h3>The agent says</h3>
      <p class="soft">Its own words. Nobody has checked them.</p>
      <dl class="claims-list">
        {claims.map(([name, text]) => (
          <div key={name}>
            <dt class="soft">{name}</dt>
            <dd>
              <InertText text={text} characters_max={SHOWN} look="block" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
