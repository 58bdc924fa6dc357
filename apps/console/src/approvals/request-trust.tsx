import { InertText } from '../elements/inert.js';
import type { Approval } from './approval.js';

type Trust = NonNullable<Approval['trust']>;
type Trusted = Trust['tool'];

/** The trust scores of the tool and the agent, with the terms that they add up from. */
export function TrustFacts({ trust: { tool, agent } }: { trust: Trust }) {
  return (
    <div class="stack">
      <Score name="Tool" trusted={tool} />
      {agent && <Score name="Agent" trusted={agent} />}
    </div>
  );
}

function Score({ name, trusted: { score, band, text, terms } }: { name: string; trusted: Trusted }) {
  return (
    <section class="stack-tight">
      <h4>
        {name}: {score === null ? 'no score' : `${score.toFixed(2)}, ${band}`}
      </h4>
      <p class="soft">
        <InertText text={text} characters_max={300} />
      </p>
      {terms && terms.length > 0 && (
        <table class="terms">
          <thead>
            <tr>
              <th scope="col">Signal</th>
              <th scope="col">Value</th>
              <th scope="col">Weight</th>
              <th scope="col">Points</th>
            </tr>
          </thead>
          <tbody>
            {terms.map(({ signal, value, weight, points }) => (
              <tr key={signal}>
                <th scope="row">{signal.replaceAll('_', ' ')}</th>
                <td>{value.toFixed(2)}</td>
                <td>{weight.toFixed(2)}</td>
                <td>{points.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
