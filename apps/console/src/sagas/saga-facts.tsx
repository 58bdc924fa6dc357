import { InertText } from '../elements/inert.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { errorText, reasonText } from './errors.js';
import type { SagaWithSteps } from './saga.js';

/** Status, people and times of a saga, and why it ended. */
export function SagaFacts({ saga }: { saga: SagaWithSteps }) {
  const { status, paused, definition, case_id, started_by, on_behalf_of, started_at, deadline_at, ended_at, pivot_step_id } = saga;
  return (
    <div class="stack-tight">
      <div class="saga-facts">
        <span aria-live="polite">
          <StatusBadge status={status} />
        </span>
        {paused && <Tag tone="warn">paused</Tag>}
        {definition && (
          <span>
            version <code>{definition.version ?? 'unknown'}</code>
          </span>
        )}
        {started_by && (
          <span>
            by <InertText text={`${started_by.kind} ${started_by.id}`} />
            {on_behalf_of !== null && (
              <>
                {' '}
                for <InertText text={on_behalf_of} />
              </>
            )}
          </span>
        )}
        {case_id !== null && <Link href={pathTo('/cases/:id', { id: case_id })}>Its case</Link>}
        <Times started_at={started_at} ended_at={ended_at} deadline_at={deadline_at} />
        {pivot_step_id !== null && (
          <span>
            irreversible since <InertText text={pivot_step_id} mono />
          </span>
        )}
      </div>
      <Cause saga={saga} />
    </div>
  );
}

function Times({ started_at, ended_at, deadline_at }: Pick<SagaWithSteps, 'started_at' | 'ended_at' | 'deadline_at'>) {
  return (
    <>
      {started_at !== null && (
        <span>
          started <RelativeTime at={started_at} />
        </span>
      )}
      {ended_at !== null && (
        <span>
          ended <RelativeTime at={ended_at} />
        </span>
      )}
      {ended_at === null && deadline_at !== null && (
        <span>
          deadline <RelativeTime at={deadline_at} />
        </span>
      )}
    </>
  );
}

function Cause({ saga: { failed_step_id, reason, error, steps } }: { saga: SagaWithSteps }) {
  const failed = steps.filter(({ step_id }) => step_id === failed_step_id).at(-1);
  const text = errorText(error) ?? errorText(failed?.error);
  if (failed_step_id === null && text === undefined && reason === null) return null;
  return (
    <div class="saga-cause">
      {failed_step_id !== null && (
        <span>
          Failed at <InertText text={failed_step_id} mono />
        </span>
      )}
      {text !== undefined && <InertText text={text} look="block" />}
      {reason !== null && <InertText text={reasonText(reason)} look="block" />}
    </div>
  );
}
