import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { TextField } from '../elements/field.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useMutation } from '../gateway/use-mutation.js';
import { SchemaForm } from '../schema-form/schema-form.js';
import { useSchemaForm } from '../schema-form/use-schema-form.js';
import { useForbidden } from './allowed.js';
import { CallDialog } from './call-dialog.js';
import { CallOutcome } from './call-outcome.js';
import { type Decision, DecisionView } from './decision-view.js';
import { isWrite, type ToolVersion } from './tool-version.js';
import { type Trial, useTrialCall } from './use-trial-call.js';

/** A form made from the inputs of a tool: first what policy would decide, then, if wanted, a real call. */
export function TrialPart({ version }: { version: ToolVersion }) {
  const form = useSchemaForm(version.input_schema);
  const [case_id, setCaseId] = useState('');
  const [decided, setDecided] = useState<{ trial: Trial; decision: Decision }>();
  const [is_asked, setAsked] = useState(false);
  const forbidden = useForbidden(['operator', 'agent']);
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
      <form
        class="trial-form stack"
        onSubmit={(event) => {
          event.preventDefault();
          void decide();
        }}
      >
        <Panel title="Inputs">
          <SchemaForm form={{ ...form, onValue: change }} />
        </Panel>
        <TextField
          label="Case"
          hint="Optional: the id of an open case that the call belongs to."
          value={case_id}
          onValue={setCaseId}
          mono
          characters_max={200}
        />
        <div class="row">
          <Button type="submit" look="primary" is_busy={dry.is_pending}>
            See what policy decides
          </Button>
          <span class="soft">Nothing runs yet.</span>
        </div>
      </form>
      <div class="trial-result stack" aria-live="polite">
        {form.issues.length > 0 && <p class="tools-note tone-bad">The inputs are not complete: see the marked fields.</p>}
        {dry.problem && <ProblemNote problem={dry.problem} />}
        {!decided && !dry.problem && form.issues.length === 0 && (
          <p class="soft">Fill in the inputs. The decision and its reasons show here before anything is called.</p>
        )}
        {decided && (
          <>
            <DecisionView decision={decided.decision} inputs={decided.trial.inputs} />
            <div class="row">
              <Button
                look={isWrite(version.effect_class) ? 'danger' : 'default'}
                disabled={forbidden !== undefined}
                title={forbidden}
                is_busy={call.is_pending}
                onClick={() => send(decided.trial)}
              >
                Call for real
              </Button>
              <span class="soft">{forbidden ?? (isWrite(version.effect_class) ? 'It changes something.' : 'It only reads.')}</span>
            </div>
          </>
        )}
        {call.problem && <ProblemNote problem={call.problem} />}
        {call.envelope && <CallOutcome envelope={call.envelope} />}
      </div>
      {is_asked && decided && (
        <CallDialog version={version} decision={decided.decision} onClose={() => setAsked(false)} onCall={() => run(decided.trial)} />
      )}
    </div>
  );
}
