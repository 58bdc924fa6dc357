import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import { focusFirstError } from '../forms/focus-first-error.js';
import { placedErrors } from '../forms/placed-errors.js';
import type { Problem } from '../gateway/answer.js';
import { useMutation } from '../gateway/use-mutation.js';
import { countOf, type ImportedDocument, type ImportPlan } from './import.js';
import { ImportFields as Fields } from './import-fields.js';
import { emptyImport, IMPORT_FIELDS, type ImportBody, type ImportFields, importFault, importRequest } from './import-request.js';
import { ImportResult } from './import-result.js';
import { PlanView } from './plan-view.js';
import './imports.css';

/** The plan of a request. The same request is sent for the import: what a person saw is what is imported. */
interface Planned {
  body: ImportBody;
  plan: ImportPlan;
}

/** A document becomes tools in two steps: a plan that records nothing, then the import of the same document. */
export function ImportFlow({ name, refused }: { name: string; refused: string | undefined }) {
  const [form, setForm] = useState<ImportFields>(() => emptyImport(name));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [planned, setPlanned] = useState<Planned>();
  const [done, setDone] = useState<ImportedDocument>();
  const plan = useMutation((api, body: ImportBody) => api.POST('/v1/openapi-imports:plan', { body }));
  const run = useMutation(
    (api, body: ImportBody) => api.POST('/v1/openapi-imports', { body }),
    () => [{ kind: 'configuration' }, { kind: 'tool' }],
  );
  const { at, rest } = placedErrors(plan.problem, IMPORT_FIELDS);
  const change = (fields: Partial<ImportFields>) => {
    setForm({ ...form, ...fields });
    // What was planned is not what the form says now.
    setPlanned(undefined);
    setFaults({});
    plan.reset();
    run.reset();
  };
  const show = async (event: Event) => {
    event.preventDefault();
    const found = importFault(form);
    setFaults(found ?? {});
    if (found) return focusFirstError();
    if (refused !== undefined || plan.is_pending) return;
    const body = importRequest(form);
    const answer = await plan.run(body);
    if (!answer.ok) return focusFirstError();
    setPlanned({ body, plan: answer.data });
  };
  const apply = async () => {
    if (!planned) return;
    const answer = await run.run(planned.body);
    if (answer.ok) setDone(answer.data);
  };
  if (done) return <ImportResult result={done} />;
  return (
    <>
      <form class="stack" autocomplete="off" onSubmit={show} noValidate>
        <Panel title="1. The document">
          <Fields form={form} onChange={change} at={{ ...at, ...faults }} is_again={name !== ''} />
          {refused && <p class="soft">{refused}</p>}
          <div class="row">
            <Button
              type="submit"
              look={planned ? 'default' : 'primary'}
              is_busy={plan.is_pending}
              disabled={refused !== undefined}
              title={refused}
            >
              {plan.is_pending ? 'Reading the document' : 'Show what it would do'}
            </Button>
            <span class="soft">Nothing is recorded.</span>
          </div>
          {rest && <Refused problem={rest} />}
        </Panel>
      </form>
      {planned && <PlanPanel plan={planned.plan} is_pending={run.is_pending} problem={run.problem} onImport={apply} />}
    </>
  );
}

interface PlanPanelProps {
  plan: ImportPlan;
  is_pending: boolean;
  problem: Problem | undefined;
  onImport: () => void;
}

function PlanPanel({ plan, is_pending, problem, onImport }: PlanPanelProps) {
  return (
    <Panel title="2. What it would do">
      <PlanView plan={plan} />
      <div class="row">
        <Button look="primary" is_busy={is_pending} disabled={plan.tools.length === 0} onClick={onImport}>
          {is_pending ? 'Importing' : `Import ${countOf(plan.tools.length, 'tool')}`}
        </Button>
        <span class="soft">Writes need an approval for each call until policy or a declaration says otherwise.</span>
      </div>
      {problem && <Refused problem={problem} />}
    </Panel>
  );
}

const ADVICE: Readonly<Record<string, string>> = {
  openapi_import_origin_changed: 'Secrets belong to the name of an import. Choose another name for the other server.',
  openapi_import_limit_reached: 'The tenant has no room for it. Import fewer operations.',
  tool_name_taken: 'Choose another name for the import.',
};

/** A refusal with its reason by name. */
function Refused({ problem }: { problem: Problem }) {
  const reason = 'reason' in problem && typeof problem.reason === 'string' ? problem.reason : undefined;
  const advice = reason !== undefined && Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  return (
    <>
      <ProblemNote problem={advice === undefined ? problem : { ...problem, advice }} />
      {reason !== undefined && (
        <p class="faint">
          Reason <code>{reason}</code>
        </p>
      )}
    </>
  );
}
