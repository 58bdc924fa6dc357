import '../elements/notice.css';
import { useState } from 'preact/hooks';
import { isWrite } from '../effects/effect-words.js';
import { Button } from '../elements/button.js';
import { TextField } from '../elements/field.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useMutation } from '../gateway/use-mutation.js';
import { SchemaForm } from '../schema-form/schema-form.js';
import { type SchemaFormState, useSchemaForm } from '../schema-form/use-schema-form.js';
import { useForbidden } from './allowed.js';
import { CallDialog } from './call-dialog.js';
import { CallOutcome } from './call-outcome.js';
import { type Decision, DecisionView } from './decision-view.js';
import { type ToolVersion } from './tool-version.js';
import { type Trial, useTrialCall } from './use-trial-call.js';

interface DecidedTrial {
  trial: Trial;
  decision: Decision;
}

/** A form made from the inputs of a tool: first what policy would decide, then, if wanted, a real call. */
export function TrialPart({ version }: { version: ToolVersion }) {
  const form = useSchemaForm(version.input_schema);
  const [case_id, setCaseId] = useState('');
  const [decided, setDecided] = useState<DecidedTrial>();
  const [is_asked, setAsked] = useState(false);
  const dry = useMutation((api, { tool, ...body }: Trial) =>
    api.POST('/v1/policies/tools/{tool}/resolve', { params: { path: { tool } }, body: { ...body, context: {} } }),
  );
  const call = useTrialCall();
  const refused = ({ validation }: Problem) => form.refused(validation?.issues ?? []);
  const decide = async () => {
    setDecided(undefined);
    call.forget();
    const checked = form.checked();
    if (!checked) return;
    const trial = {
      tool: version.name,
      version: version.version,
      inputs: checked.value as Record<string, never>,
      case_id: case_id.trim() || null,
    };
    const answer = await dry.run(trial);
    if (answer.ok) setDecided({ trial, decision: answer.data });
    else refused(answer.problem);
  };
  const run = async (trial: Trial) => {
    setAsked(false);
    const answer = await call.run(trial);
    if (!answer.ok) refused(answer.problem);
  };
  const change = (value: unknown) => {
    form.onValue(value);
    setDecided(undefined);
  };
  const send = (trial: Trial) => (isWrite(version.effect_class) ? setAsked(true) : run(trial));
  return (
    <div class="trial">
      <TrialForm form={{ ...form, onValue: change }} case_id={case_id} onCaseId={setCaseId} is_pending={dry.is_pending} onDecide={decide} />
      <div class="trial-result stack" aria-live="polite">
        {form.issues.length > 0 && <p class="notice-box tone-bad">The inputs are not complete: see the marked fields.</p>}
        {dry.problem && <ProblemNote problem={dry.problem} />}
        {!decided && !dry.problem && form.issues.length === 0 && (
          <p class="soft">Fill in the inputs. The decision and its reasons show here before anything is called.</p>
        )}
        {decided && <Decided version={version} decided={decided} is_pending={call.is_pending} onCall={() => send(decided.trial)} />}
        {call.problem && <ProblemNote problem={call.problem} />}
        {call.envelope && <CallOutcome envelope={call.envelope} />}
      </div>
      {is_asked && decided && (
        <CallDialog version={version} decision={decided.decision} onClose={() => setAsked(false)} onCall={() => run(decided.trial)} />
      )}
    </div>
  );
}

interface DecidedProps {
  version: ToolVersion;
  decided: DecidedTrial;
  is_pending: boolean;
  onCall: () => void;
}

/** The decision, and the way to the real call. */
function Decided({ version: { effect_class }, decided, is_pending, onCall }: DecidedProps) {
  const forbidden = useForbidden(['operator', 'agent']);
  const is_write = isWrite(effect_class);
  return (
    <>
      <DecisionView decision={decided.decision} inputs={decided.trial.inputs} />
      <div class="row">
        <Button
          look={is_write ? 'danger' : 'default'}
          disabled={forbidden !== undefined}
          title={forbidden}
          is_busy={is_pending}
          onClick={onCall}
        >
          Call for real
        </Button>
        <span class="soft">{forbidden ?? (is_write ? 'It changes something.' : 'It only reads.')}</span>
      </div>
    </>
  );
}

interface TrialFormProps {
  form: SchemaFormState;
  case_id: string;
  onCaseId: (case_id: string) => void;
  is_pending: boolean;
  onDecide: () => Promise<void>;
}

function TrialForm({ form, case_id, onCaseId, is_pending, onDecide }: TrialFormProps) {
  return (
    <form
      class="trial-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        void onDecide();
      }}
    >
      <Panel title="Inputs">
        <SchemaForm form={form} />
      </Panel>
      <TextField
        label="Case"
        hint="Optional: the id of an open case that the call belongs to."
        value={case_id}
        onValue={onCaseId}
        mono
        characters_max={200}
      />
      <div class="row">
        <Button type="submit" look="primary" is_busy={is_pending}>
          See what policy decides
        </Button>
        <span class="soft">Nothing runs yet.</span>
      </div>
    </form>
  );
}
