import { InertText } from '../elements/inert.js';
import { EmptyState } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { errorText } from './errors.js';
import type { Step } from './saga.js';
import { callState, undoState } from './step-states.js';

const callPath = (call_id: string): string => pathTo('/calls/:id', { id: call_id });

function StepCell({ step_id, attempt, level }: Step) {
  const notes = [...(level !== null && level > 0 ? [`fallback ${level}`] : []), ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
  return (
    <>
      <InertText text={step_id} mono />
      {notes.length > 0 && <span class="faint"> {notes.join(', ')}</span>}
    </>
  );
}

function OutcomeCell(step: Step) {
  const state = callState({ ...step, compensation: null });
  const error = errorText(step.error);
  return (
    <span title={error}>
      <StatusBadge status={step.status ?? ''} word={state.word} tone={state.tone} />
      {step.repairs.length > 0 && <span class="faint"> repaired {step.repairs.length}×</span>}
    </span>
  );
}

function UndoCell({ compensation }: Step) {
  if (!compensation) return <span class="faint">no undo</span>;
  const { word, tone } = undoState(compensation);
  const badge = <StatusBadge status={compensation.status} word={word} tone={tone} />;
  if (compensation.call_id === null) return badge;
  return (
    <Link class="saga-undo" href={callPath(compensation.call_id)} aria-label={`${word}: open the call that undoes`}>
      {badge}
    </Link>
  );
}

const COLUMNS: readonly Column<Step>[] = [
  { id: 'step', title: 'Step', cell: (step) => <StepCell {...step} /> },
  { id: 'tool', title: 'Tool', cell: ({ tool }) => (tool ? <InertText text={tool} /> : <span class="faint">no call</span>) },
  { id: 'outcome', title: 'Call', cell: (step) => <OutcomeCell {...step} />, width: '140px' },
  { id: 'undo', title: 'Undo', cell: (step) => <UndoCell {...step} />, width: '150px' },
  {
    id: 'at',
    title: 'Requested',
    cell: ({ requested_at }) => requested_at && <RelativeTime at={requested_at} />,
    width: '100px',
    align: 'end',
    is_wide_only: true,
  },
];

/** The calls of all steps: what the graph shows, in words. A row leads to its call. */
export function StepsTable({ steps, here }: { steps: readonly Step[]; here: string }) {
  if (steps.length === 0) return <EmptyState icon="sagas" title="No step has begun" />;
  return (
    <Table
      label="Steps"
      columns={COLUMNS}
      items={steps}
      keyOf={({ step_id, level, attempt }) => `${step_id}/${level ?? ''}/${attempt}`}
      hrefOf={({ call_id }) => (call_id === null ? here : callPath(call_id))}
    />
  );
}
