import { Diff } from '../elements/diff.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { type Approval, approvalPath } from './approval.js';
import { Fold } from './fold.js';
import { TrustFacts } from './request-trust.js';

/** Everything else about a request, folded. */
export function RequestDetails({ approval }: { approval: Approval }) {
  const { similar, trust, votes, evidence, amount } = approval;
  return (
    <div class="folds">
      <Fold title="Inputs" note={approval.call?.mapping ? 'changed by a mapping' : undefined}>
        {() => <Inputs approval={approval} />}
      </Fold>
      <Fold title="Similar calls" note={similar.length === 0 ? 'none' : String(similar.length)}>
        {() => <SimilarCalls approval={approval} />}
      </Fold>
      {trust && <Fold title="Trust">{() => <TrustFacts trust={trust} call={approval.call} />}</Fold>}
      <Fold title="Votes" note={votes.length === 0 ? 'none' : String(votes.length)}>
        {() => <Votes approval={approval} />}
      </Fold>
      <Fold title="Evidence">
        {() => (
          <>
            {amount && <Amount amount={amount} />}
            <JsonTree
              value={{ ...evidence, decision: approval.call?.decision, terms: approval.terms, edit: approval.edit }}
              open_levels={1}
            />
          </>
        )}
      </Fold>
    </div>
  );
}

function Inputs({ approval: { call, edit } }: { approval: Approval }) {
  if (call?.withheld && call.withheld.length > 0)
    return <p class="soft">Withheld: you lack the clearance for {call.withheld.join(', ')}.</p>;
  if (!call) return <p class="soft">The call is not there yet.</p>;
  if (call.mapped_input === undefined)
    return (
      <>
        {edit && <p class="soft">Edited by {edit.by.id}.</p>}
        <JsonTree value={call.inputs} open_levels={2} />
      </>
    );
  return (
    <div class="input-forms">
      <section>
        <h4>What the agent sent</h4>
        <JsonTree value={call.inputs} open_levels={2} />
      </section>
      <section>
        <h4>What runs, after the mapping</h4>
        <JsonTree value={call.mapped_input} open_levels={2} />
      </section>
      <section class="input-forms-diff">
        <h4>What the mapping changed</h4>
        <Diff before={call.inputs} after={call.mapped_input} names={['sent', 'mapped']} />
      </section>
    </div>
  );
}

function Amount({ amount: { value, last_30_days: month } }: { amount: NonNullable<Approval['amount']> }) {
  return (
    <p>
      The amount is {value}. In the last 30 days: {month.count} {month.count === 1 ? 'call' : 'calls'}
      {month.median !== null && `, median ${month.median}, at most ${month.maximum}`}
      {!month.complete && ' (only the newest were compared)'}.
    </p>
  );
}

function SimilarCalls({ approval: { similar } }: { approval: Approval }) {
  if (similar.length === 0) return <p class="soft">No earlier request for this tool by the same rule.</p>;
  return (
    <ul class="similar">
      {similar.map((one) => (
        <li key={one.approval_id}>
          <Link href={approvalPath(one.approval_id)}>
            <InertText text={one.sentence} characters_max={160} />
          </Link>
          <div class="similar-facts soft">
            <StatusBadge status={one.approval_status} />
            <StatusBadge status={one.call_status} />
            {one.same_inputs && <span>same inputs</span>}
            {one.decided_by.length > 0 && <InertText text={`by ${one.decided_by.join(', ')}`} characters_max={80} />}
            <RelativeTime at={one.requested_at} />
          </div>
          {one.reason && (
            <div class="soft">
              <InertText text={`“${one.reason}”`} characters_max={200} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Votes({ approval: { votes } }: { approval: Approval }) {
  if (votes.length === 0) return <p class="soft">Nobody has voted yet.</p>;
  return (
    <ul class="similar">
      {votes.map((vote) => (
        <li key={vote.vote_id}>
          <strong>
            <InertText text={vote.voter_id ?? 'unknown'} characters_max={60} />
          </strong>{' '}
          {vote.vote ?? 'voted'}
          {vote.verdict === 'refused' && ', refused'}
          {vote.verdict === null && ', not counted yet'} {vote.voted_at && <RelativeTime at={vote.voted_at} />}
          {(vote.reason ?? vote.verdict_reason) && (
            <div class="soft">
              <InertText text={vote.reason ?? vote.verdict_reason ?? ''} characters_max={300} look="block" />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
