import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { useQuery } from '../gateway/use-query.js';
import { readinessText, readReadiness } from './readiness.js';

const READ_AGAIN_MS = 5_000;

/** Whether the gateway takes requests, and what keeps it from that. */
export function ReadinessPanel() {
  const readiness = useQuery({ kind: 'other', key: ['readyz'], every_ms: READ_AGAIN_MS, read: readReadiness });
  return (
    <section class="health-panel" aria-labelledby="readiness-title">
      <h2 id="readiness-title" class="visually-hidden">
        Readiness
      </h2>
      {readiness.is_loading && <Skeleton lines={1} />}
      {readiness.data ? (
        <Shown status={readiness.data.status} unhealthy_packs={readiness.data.unhealthy_packs ?? []} />
      ) : (
        readiness.problem && <ErrorState problem={readiness.problem} retry={readiness.refresh} />
      )}
    </section>
  );
}

function Shown({ status, unhealthy_packs }: { status: string; unhealthy_packs: readonly string[] }) {
  const { word, tone, text } = readinessText(status);
  return (
    <div class="health-readiness" data-tone={unhealthy_packs.length > 0 && tone === 'good' ? 'warn' : tone} role="status">
      <strong>
        <StatusBadge status={status} word={word} tone={tone} />
      </strong>
      <span>{text}</span>
      {unhealthy_packs.length > 0 && (
        <span>
          Executors cannot use{' '}
          {unhealthy_packs.slice(0, 20).map((pack, at) => (
            <span key={pack}>
              {at > 0 && ', '}
              <InertText text={pack} mono />
            </span>
          ))}
          : calls of their tools wait or fail.
        </span>
      )}
    </div>
  );
}
