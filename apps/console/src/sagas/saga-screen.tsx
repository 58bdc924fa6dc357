import { useMemo, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { useQuery } from '../gateway/use-query.js';
import { pathTo } from '../navigation/match.js';
import { useParameter, useQueryState } from '../navigation/navigation.js';
import { Graph } from './graph.js';
import { PastWaits } from './past-waits.js';
import { type SagaWithSteps, sagaTitle, stepName, type Wait } from './saga.js';
import { SagaControls } from './saga-controls.js';
import { SagaFacts } from './saga-facts.js';
import { restState, stepStates } from './step-states.js';
import { StepsTable } from './steps-table.js';
import { TicketCard } from './ticket-card.js';
import { type SagaGraph, useSagaGraph } from './use-blocks.js';
import { WaitCard } from './wait-card.js';
import './sagas.css';

/** `/sagas/:id`: what a saga does, live, and what a person may do about it. */
export default function SagaScreen() {
  const saga_id = useParameter('id');
  const saga = useQuery({
    kind: 'saga',
    id: saga_id,
    read: (api, signal) => api.GET('/v1/sagas/{saga_id}', { params: { path: { saga_id } }, signal }),
  });
  if (saga.data) return <Shown saga={saga.data} />;
  return (
    <Screen title="Saga">
      {saga.is_loading && <Skeleton lines={6} />}
      {saga.problem && <ErrorState problem={saga.problem} retry={saga.refresh} />}
    </Screen>
  );
}

/** The last call of a step. */
const callOf = ({ steps }: SagaWithSteps, step_id: string): string | null =>
  steps.filter((step) => step.step_id === step_id).at(-1)?.call_id ?? null;

const waitKey = ({ step_id, opened_at }: Wait): string => `${step_id} ${opened_at}`;

function Shown({ saga }: { saga: SagaWithSteps }) {
  const graph = useSagaGraph(saga);
  const [selected, select] = useQueryState('step');
  const [held, hold] = useState<string>();
  const tickets = saga.tickets.filter(({ closed_at, ticket_id }) => closed_at === null || ticket_id === held);
  const waits = saga.waits.filter((wait) => wait.ended_as === null || waitKey(wait) === held);
  const shown = selected === '' ? saga.steps : saga.steps.filter(({ step_id }) => stepName(step_id) === selected);
  return (
    <Screen title={sagaTitle(saga)} about={<code>{saga.saga_id}</code>} actions={<SagaControls saga={saga} />}>
      <SagaFacts saga={saga} />
      {(tickets.length > 0 || waits.length > 0) && (
        <section class="saga-cards" aria-label="Needs a person">
          {tickets.map((ticket) => (
            <TicketCard key={ticket.ticket_id} ticket={ticket} onHold={(is_held) => hold(is_held ? ticket.ticket_id : undefined)} />
          ))}
          {waits.map((wait) => (
            <WaitCard
              key={waitKey(wait)}
              saga_id={saga.saga_id}
              wait={wait}
              call_id={callOf(saga, wait.step_id)}
              onHold={(is_held) => hold(is_held ? waitKey(wait) : undefined)}
            />
          ))}
        </section>
      )}
      {graph ? <SagaGraphPart saga={saga} graph={graph} selected={selected} select={select} /> : <Skeleton lines={4} />}
      <section class="stack-tight" aria-labelledby="steps-title">
        <header class="row row-spread">
          <h2 id="steps-title">Steps {selected !== '' && <InertText text={`named ${selected}`} />}</h2>
          {selected !== '' && <Button onClick={() => select('')}>Show all steps</Button>}
        </header>
        <StepsTable steps={shown} here={pathTo('/sagas/:id', { id: saga.saga_id })} />
      </section>
      <PastWaits saga={saga} />
    </Screen>
  );
}

interface GraphPartProps {
  saga: SagaWithSteps;
  graph: SagaGraph;
  selected: string;
  select: (name: string) => void;
}

function SagaGraphPart({ saga, graph: { layout, is_recorded }, selected, select }: GraphPartProps) {
  const states = useMemo(() => stepStates(saga), [saga]);
  if (layout.boxes.length === 0) return null;
  return (
    <section class="stack-tight" aria-labelledby="graph-title">
      <h2 id="graph-title">Course</h2>
      <p class="soft">
        {is_recorded
          ? 'Its definition is not published: this is what began so far, in that order.'
          : 'From top to bottom; what runs at once stands side by side.'}
        {layout.left_out > 0 && ` ${layout.left_out} more steps are not drawn.`}
      </p>
      <Graph layout={layout} states={states} rest={restState(saga)} selected={selected} onSelect={select} />
    </section>
  );
}
