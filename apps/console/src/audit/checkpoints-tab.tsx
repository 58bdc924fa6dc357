import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useQuery } from '../gateway/use-query.js';
import type { PinnedKeys } from './pinned-keys.js';
import { continuityStep } from './proof/continuity.js';
import type { LogState } from './read-log.js';
import { type CosignedCheckpoint, useCosigned } from './use-cosigned.js';

/** An entry of `GET /v1/audit/entries`; each move begins with topic and partition. */
interface Entry {
  number: number;
  time_ms: number;
  moved: readonly (readonly unknown[])[];
}

type Compared = Extract<LogState, { kind: 'compared' }>;

const LISTED = 25;

/** The newest checkpoints, and how the newest relates to what this browser saw before. */
export function CheckpointsTab({
  state,
  keys,
  onAgain,
}: {
  state: LogState | undefined;
  keys: readonly PinnedKeys[];
  onAgain: () => void;
}) {
  if (!state) return <Skeleton lines={6} label="Reading the newest checkpoint" />;
  if (state.kind === 'unknown') {
    if (state.problem.reason === 'checkpoint_pending') return <NoCheckpoint />;
    return <ErrorState problem={state.problem} retry={onAgain} />;
  }
  if (state.kind === 'untrusted') return null;
  return <Checkpoints state={state} keys={keys} />;
}

function Checkpoints({ state, keys }: { state: Compared; keys: readonly PinnedKeys[] }) {
  const cosigned = useCosigned(keys, state.newest.size);
  const { size } = state.newest;
  const first = Math.max(0, size - LISTED);
  const { data, problem, is_loading, refresh } = useQuery({
    kind: 'other',
    key: ['audit-entries', first, size],
    keep: true,
    read: (api, signal) => api.GET('/v1/audit/entries', { params: { query: { first, second: size } }, signal }),
  });
  const entries = data?.entries.toReversed();
  return (
    <div class="audit-stack">
      <NewestPanel state={state} cosigned={cosigned} />
      <section class="audit-stack" aria-label="Newest checkpoints">
        <p class="soft">
          Numbers and times of earlier checkpoints are as the server lists them. This page verified the signature of the newest, and that it
          continues the one that this browser saw before.
        </p>
        {is_loading && <Skeleton lines={8} label="Reading checkpoints" />}
        {!data && problem && <ErrorState problem={problem} retry={refresh} />}
        {entries && <Table label="Checkpoints" columns={columnsOf(cosigned)} items={entries} keyOf={({ number }) => String(number)} />}
      </section>
    </div>
  );
}

function NewestPanel({ state: { newest, continuity }, cosigned }: { state: Compared; cosigned: CosignedCheckpoint | undefined }) {
  const { state, says } = continuityStep(continuity);
  return (
    <Panel title={`Checkpoint ${newest.size}`}>
      <ul class="audit-facts">
        <li>
          <StatusBadge status="verified" word="Signature verified" tone="good" />
          <span class="soft">
            by <InertText text={newest.origin} mono />
          </span>
        </li>
        <li>
          <StatusBadge
            status={state}
            word={state === 'failed' ? 'Contradiction' : state === 'proven' ? 'Continued' : 'First visit'}
            tone={state === 'failed' ? 'bad' : state === 'proven' ? 'good' : 'neutral'}
          />
          <span class="soft">{says}</span>
        </li>
        <li>
          <CosignedLine cosigned={cosigned} />
        </li>
      </ul>
    </Panel>
  );
}

function CosignedLine({ cosigned }: { cosigned: CosignedCheckpoint | undefined }) {
  if (!cosigned) return <Skeleton lines={1} label="Reading cosignatures" />;
  if (cosigned.kind === 'none')
    return (
      <>
        <StatusBadge status="none" word="Not cosigned" tone="warn" />
        <span class="soft">
          <InertText text={cosigned.reason} />
        </span>
      </>
    );
  const { size, signers } = cosigned;
  return (
    <>
      <StatusBadge
        status="cosigned"
        word={`Cosigned up to ${size}`}
        tone={signers.some(({ is_verified }) => is_verified) ? 'good' : 'neutral'}
      />
      <span class="row audit-signers">
        {signers.map(({ name, is_verified, checks }) => (
          <span key={name} class="row">
            <InertText text={name} mono />
            <Tag tone={is_verified ? 'good' : 'neutral'}>
              {is_verified ? (checks === 'heads' ? 'verified, checks heads' : 'verified') : 'not pinned'}
            </Tag>
          </span>
        ))}
      </span>
    </>
  );
}

const columnsOf = (cosigned: CosignedCheckpoint | undefined): readonly Column<Entry>[] => [
  { id: 'size', title: 'Checkpoint', cell: ({ number }) => String(number + 1), width: '110px' },
  { id: 'time', title: 'Made', cell: ({ time_ms }) => <RelativeTime at={new Date(time_ms).toISOString()} />, width: '120px' },
  {
    id: 'moved',
    title: 'What grew',
    cell: ({ moved }) => <InertText text={moved.map(([topic, partition]) => `${topic}/${partition}`).join(', ')} characters_max={200} />,
    width: 'minmax(0, 2fr)',
  },
  {
    id: 'cosigned',
    title: 'Cosigned by',
    cell: ({ number }) =>
      cosigned?.kind === 'cosigned' && cosigned.size === number + 1 ? (
        <InertText text={cosigned.signers.map(({ name }) => name).join(', ')} />
      ) : (
        <span class="faint">–</span>
      ),
    is_wide_only: true,
  },
];

const NoCheckpoint = () => (
  <EmptyState icon="audit" title="No checkpoint yet">
    <p>The log signs its first checkpoint within a second of the first record.</p>
  </EmptyState>
);
