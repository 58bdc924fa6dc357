import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Select } from '../elements/field.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote, Skeleton } from '../elements/states.js';
import type { Schemas } from '../gateway/schemas.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useQueryState } from '../navigation/navigation.js';
import { useDraftRefusal } from './rights.js';
import { PERIODS, periodStart } from './simulation-groups.js';
import { SimulationReport } from './simulation-report.js';
import './simulation.css';

export type Simulation = Schemas['Simulation'];
/** What is simulated: a draft as it is written, or a published version. */
export type Simulated = { bundle: Readonly<Record<string, unknown>> } | { version: string };

/** Newest calls first; more than that of a period are left out, and the report says so. */
const CALLS_MAX = 5_000;

interface SimulationPanelProps {
  /** Undefined: it cannot be simulated now. */
  simulated: Simulated | undefined;
  /** The digest of the rules; a report of other rules is out of date. */
  digest: string | undefined;
  onReport?: (report: Simulation) => void;
}

/** Decides the recorded calls of a period once more, by these rules, and shows what would be different. */
export function SimulationPanel({ simulated, digest, onReport }: SimulationPanelProps) {
  const [period, setPeriod] = useQueryState('period', '7');
  const [shown, setShown] = useState<{ report: Simulation; period: string }>();
  const refused = useDraftRefusal();
  const simulation = useMutation((api, body: Simulated & { from?: string; limit: number }) =>
    api.POST('/v1/policies:simulate', { body: body as never }),
  );
  const run = async () => {
    if (!simulated) return;
    const from = periodStart(period, Date.now());
    const answer = await simulation.run({ ...simulated, limit: CALLS_MAX, ...(from && { from }) });
    if (!answer.ok) return;
    setShown({ report: answer.data, period });
    onReport?.(answer.data);
  };
  const is_old = shown !== undefined && digest !== undefined && shown.report.bundle_digest !== digest;
  return (
    <Panel title="Simulation">
      <p class="soft">Decides the recorded calls of a period once more, by these rules. Nothing is run, and nobody is asked.</p>
      <div class="row policies-simulate">
        <Select label="Calls of" value={period} onValue={setPeriod} options={PERIODS} />
        <Button
          icon="refresh"
          disabled={refused !== undefined || !simulated}
          title={refused ?? (simulated ? undefined : 'Correct the errors of the draft first.')}
          is_busy={simulation.is_pending}
          onClick={run}
        >
          {simulation.is_pending ? 'Simulating' : 'Simulate'}
        </Button>
      </div>
      {refused && <p class="soft">{refused}</p>}
      {!refused && !simulated && <p class="soft">A draft with errors cannot be simulated.</p>}
      {simulation.problem && <ProblemNote problem={simulation.problem} />}
      {simulation.is_pending && <Skeleton lines={4} label="Simulating" />}
      {is_old && (
        <p class="policies-note" role="status">
          The draft has changed since this simulation. Simulate again to see what it would do now.
        </p>
      )}
      {shown && !simulation.is_pending && <SimulationReport report={shown.report} calls_max={CALLS_MAX} />}
    </Panel>
  );
}
