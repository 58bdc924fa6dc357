import { useCallback } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { PureRow } from '../elements/pure-row.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { useClock } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { approvalPath, type InboxItem, isIrreversible } from './approval.js';
import { batchObjection } from './selection.js';
import { timeLeftText, urgencyOf } from './time-left.js';

interface InboxRowProps {
  item: InboxItem;
  /** The filters, which stay in the address. */
  query: string;
  /** How the request ended, if it is not part of the list any more. */
  end: string | undefined;
  is_open: boolean;
  is_selected: boolean;
  onToggle: (item: InboxItem) => void;
  onFocus: (approval_id: string) => void;
}

const SENTENCE_MAX = 160;

/** A request in the list: what happens, who asks, how much time is left, and marks for what is out of the ordinary. */
export class InboxRow extends PureRow<InboxRowProps> {
  override render() {
    const { item, query, end, is_open, is_selected, onToggle, onFocus } = this.props;
    const { approval_id, call } = item;
    const sentence = item.sentence ?? call?.tool ?? approval_id;
    return (
      <li class={`inbox-row ${end ? 'inbox-row-gone' : ''}`} data-open={is_open || undefined} data-selected={is_selected || undefined}>
        <Selector
          item={item}
          label={sentence.slice(0, SENTENCE_MAX)}
          is_selected={is_selected}
          is_gone={end !== undefined}
          onToggle={onToggle}
        />
        <div class="inbox-row-text" onFocusIn={() => onFocus(approval_id)}>
          <Link
            href={approvalPath(approval_id) + query}
            class="inbox-link"
            aria-current={is_open ? 'true' : undefined}
            data-row-of={approval_id}
          >
            <InertText text={sentence} characters_max={SENTENCE_MAX} />
          </Link>
          <div class="inbox-row-facts">
            <span class="inbox-row-who">
              <InertText text={call?.principal?.id ?? 'unknown'} characters_max={40} /> ·{' '}
              <InertText text={call?.tool ?? ''} characters_max={40} />
            </span>
            <span class="inbox-row-when">
              {item.status === 'pending' && !end && <Progress parts={item.parts} />}
              <State item={item} end={end} />
            </span>
          </div>
          <Marks item={item} />
        </div>
      </li>
    );
  }
}

interface SelectorProps extends Pick<InboxRowProps, 'item' | 'is_selected' | 'onToggle'> {
  label: string;
  is_gone: boolean;
}

function Selector({ item, label, is_selected, is_gone, onToggle }: SelectorProps) {
  const objection = batchObjection(item);
  return (
    <label class="inbox-check" title={objection ? `Not together with others: ${objection}` : undefined}>
      <input
        type="checkbox"
        checked={is_selected}
        disabled={is_gone || objection !== undefined}
        aria-label={`Select ${label}`}
        onChange={() => onToggle(item)}
      />
    </label>
  );
}

/** How much time is left, or how it ended. */
function State({ item, end }: Pick<InboxRowProps, 'item' | 'end'>) {
  if (end) return <StatusBadge status={end} word={end === 'ended' ? 'Ended' : undefined} />;
  if (item.status !== 'pending') return <StatusBadge status={item.status} />;
  return <TimeLeft expires_at={item.expires_at} requested_at={item.requested_at} />;
}

/** How many of the people that are needed have agreed; nothing where one is enough. */
function Progress({ parts }: Pick<InboxItem, 'parts'>) {
  const approvals = parts.reduce((sum, part) => sum + part.approvals, 0);
  const quorum = parts.reduce((sum, part) => sum + part.quorum, 0);
  if (quorum <= 1) return null;
  return (
    <span class="soft" title={`${approvals} of ${quorum} have agreed`}>
      {approvals}/{quorum}
    </span>
  );
}

/** What is out of the ordinary, as far as the list knows it; the request itself says more. */
function Marks({ item }: { item: InboxItem }) {
  const marks = [
    isIrreversible(item) && <Tag tone="bad">irreversible</Tag>,
    item.revision > 1 && <Tag tone="warn">edited</Tag>,
    item.level > 0 && <Tag tone="warn">escalated</Tag>,
    (item.call?.withheld?.length ?? 0) > 0 && <Tag>withheld</Tag>,
  ].filter((mark) => mark !== false);
  return marks.length > 0 ? <div class="inbox-marks">{marks}</div> : null;
}

/** The time that is left, counting down. */
export function TimeLeft({ expires_at, requested_at }: { expires_at: string; requested_at: string }) {
  const expires_ms = Date.parse(expires_at);
  const requested_ms = Date.parse(requested_at);
  const text = useClock(useCallback((now_ms: number) => timeLeftText(expires_ms, now_ms), [expires_ms]));
  const urgency = useClock(useCallback((now_ms: number) => urgencyOf(expires_ms, requested_ms, now_ms), [expires_ms, requested_ms]));
  return (
    <time class={`time-left time-${urgency}`} dateTime={expires_at} title={`until ${new Date(expires_ms).toLocaleString()}`}>
      {text}
      {urgency !== 'over' && ' left'}
    </time>
  );
}
