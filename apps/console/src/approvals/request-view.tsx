import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import { Link } from '../navigation/link.js';
import { usePlace } from '../navigation/navigation.js';
import { type Approval, isIrreversible } from './approval.js';
import { DecisionBar } from './decision-bar.js';
import { RequestClaims } from './request-claims.js';
import { RequestDetails } from './request-details.js';
import { RequestFacts } from './request-facts.js';
import { useVotes } from './use-votes.js';
import './request.css';

const SENTENCE_MAX = 280;

/** One request: what its approvers must know, then their decision, then everything else. */
export function RequestView({ approval_id }: { approval_id: string }) {
  const { query } = usePlace();
  const votes = useVotes();
  const request = useQuery<Approval>({
    kind: 'approval',
    id: approval_id,
    read: (api, signal) => api.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id } }, signal }),
  });
  // a vote that is held belongs to the request on the screen: it is sent when another one is shown
  useEffect(() => () => void votes.send(approval_id), [votes, approval_id]);
  const { data, problem } = request;
  return (
    <article class="request" aria-label="Request" data-approval={approval_id}>
      <div class="request-body">
        <Link href={`/approvals${query}`} class="request-back">
          <Icon name="right" /> Approvals
        </Link>
        {!data && problem && <ErrorState problem={problem} retry={request.refresh} />}
        {!data && !problem && <Skeleton lines={10} label="Loading the request" />}
        {data && <Request approval={data} />}
      </div>
      {data && <DecisionBar approval={data} />}
    </article>
  );
}

function Request({ approval }: { approval: Approval }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { visit } = usePlace();
  const sentence = approval.sentence ?? `A call of ${approval.call?.tool ?? 'a tool'}`;
  useEffect(() => {
    document.title = `${sentence.slice(0, 80)} · Countersign`;
  }, [sentence]);
  useEffect(() => {
    // a page that was opened by its address leaves the focus where the browser puts it
    if (visit > 0) heading.current?.focus({ preventScroll: true });
  }, [approval.approval_id]);
  return (
    <>
      <header class="request-head">
        <div class="request-about soft">
          {approval.status !== 'pending' && <StatusBadge status={approval.status} />}
          <InertText text={`${approval.call?.tool ?? 'unknown tool'} ${approval.call?.version ?? ''}`} characters_max={80} />
          <span>
            asked <RelativeTime at={approval.requested_at} />
          </span>
          {isIrreversible(approval) && <Tag tone="bad">irreversible</Tag>}
        </div>
        <h2 ref={heading} tabIndex={-1} class="request-sentence">
          <InertText text={sentence} characters_max={SENTENCE_MAX} look="block" />
        </h2>
      </header>
      <RequestFacts approval={approval} />
      <RequestClaims approval={approval} />
      <RequestDetails approval={approval} />
    </>
  );
}
