import type { components } from '@countersign/client';
import './trust-terms.css';

type Term = NonNullable<components['schemas']['ToolTrust']['terms']>[number];

/** The terms that a trust score adds up from. */
export function TrustTerms({ terms }: { terms: readonly Term[] }) {
  return (
    <table class="trust-terms" aria-label="Terms of the score">
      <thead>
        <tr>
          <th scope="col">Term</th>
          <th scope="col">Weight</th>
          <th scope="col">Value</th>
          <th scope="col">Points</th>
        </tr>
      </thead>
      <tbody>
        {terms.map(({ signal, weight, value, points }) => (
          <tr key={signal}>
            <th scope="row">{signal.replaceAll('_', ' ')}</th>
            <td>{weight}</td>
            <td>{value.toFixed(2)}</td>
            <td>{points.toFixed(3)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
