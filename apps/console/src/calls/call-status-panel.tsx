import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { offsetText } from '../timeline/time-scale.js';
import type { Call } from './call.js';
import { deduplicationWords, effectNowWords, statusWords } from './status-words.js';
import { useProgress } from './use-progress.js';

/** How a call stands, what that means, and what to do. */
export function CallStatusPanel({ call }: { call: Call }) {
  const { means, next } = statusWords(call.status);
  return (
    <Panel>
      <div class="row call-status">
        <span role="status">
          <StatusBadge status={call.status} />
        </span>
        {call.ended_at ? <RelativeTime at={call.ended_at} /> : call.requested_at && <RelativeTime at={call.requested_at} />}
        {call.ended_at && typeof call.duration_ms === 'number' && <span class="soft">ran {offsetText(call.duration_ms)}</span>}
      </div>
      <p>
        {means} {next && <span class="soft">{next}</span>}
      </p>
      {call.status === 'running' && <Progress call_id={call.call_id} />}
      {call.approval?.status === 'pending' && (
        <p>
          <Link href={`/approvals/${encodeURIComponent(call.approval.approval_id)}`}>Open the approval</Link>
          {call.approval.expires_at && (
            <span class="soft">
              {' '}
              · it expires <RelativeTime at={call.approval.expires_at} />
            </span>
          )}
        </p>
      )}
      {call.error && <ErrorNote error={call.error} />}
      <Deduplication call={call} />
      <Undo call={call} />
      {call.warnings.length > 0 && (
        <ul class="notice notice-warn">
          {call.warnings.map((warning) => (
            <li key={warning}>
              <InertText text={warning} look="block" />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function ErrorNote({ error }: { error: NonNullable<Call['error']> }) {
  const cause = (error.details as { cause?: { code?: unknown; message?: unknown } } | null)?.cause;
  return (
    <div class="notice notice-bad">
      <p>
        <code>{error.code}</code> <span class="faint">{error.class}</span>
      </p>
      <InertText text={error.message} look="block" />
      {typeof cause?.message === 'string' && (
        <p class="soft">
          Cause: <code>{String(cause.code ?? '')}</code> <InertText text={cause.message} characters_max={400} />
        </p>
      )}
      {error.code !== 'IN_DOUBT' && (
        <p class="soft">
          {error.retryable
            ? `It may be tried again${error.retry_after_s ? ` after ${error.retry_after_s} s` : ''}.`
            : 'Trying the same again will not help.'}
        </p>
      )}
    </div>
  );
}

function Deduplication({ call }: { call: Call }) {
  const effect = call.effect === 'happened' ? effectNowWords(call.effect_now) : undefined;
  if (!call.deduplicated && !effect) return null;
  return (
    <div class="notice">
      {call.deduplicated && (
        <p>
          The tool did not run for this request. {deduplicationWords(call.deduplicated_because)}{' '}
          {call.original_call_id && call.original_call_id !== call.call_id && (
            <CallLink call_id={call.original_call_id} text="See that call" />
          )}
        </p>
      )}
      {effect && (
        <p>
          {effect} {call.superseded_by && <CallLink call_id={call.superseded_by} text="See the later call" />}
        </p>
      )}
    </div>
  );
}

function Undo({ call }: { call: Call }) {
  return (
    <>
      {call.compensates && (
        <p>
          This call undoes another one. <CallLink call_id={call.compensates} text="See what it undoes" />
        </p>
      )}
      {call.compensated_by && (
        <p>
          An undo was made. <CallLink call_id={call.compensated_by} text="See the undo" />
        </p>
      )}
    </>
  );
}

const CallLink = ({ call_id, text }: { call_id: string; text: string }) => (
  <Link href={`/calls/${encodeURIComponent(call_id)}`} title={call_id}>
    {text}
  </Link>
);

function Progress({ call_id }: { call_id: string }) {
  const progress = useProgress(call_id);
  if (!progress) return null;
  return (
    <div class="call-progress">
      {progress.fraction !== null && <progress max={1} value={progress.fraction} aria-label="Progress" />}
      <InertText text={progress.message} characters_max={200} />
    </div>
  );
}
