import { useMemo, useState } from 'preact/hooks';
import { TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import type { Problem } from '../gateway/answer.js';
import { useNavigate } from '../navigation/navigation.js';
import type { DraftCheck } from './draft-checker.js';
import { type ActivePolicy, useBundle, versionHref, versionWord } from './policy-queries.js';
import { RuleChanges } from './rule-changes.js';
import { policyDiff } from './rule-diff.js';
import type { Simulation } from './simulation-panel.js';
import { useSimulationRequired } from './simulation-setting.js';

interface PublishDialogProps {
  draft: Extract<DraftCheck, { kind: 'good' }>;
  active: ActivePolicy;
  report: Simulation | undefined;
  onPublished: () => void;
  onClose: () => void;
}

/** Makes a version of a draft. It decides nothing before it is activated. */
export function PublishDialog({ draft, active, report, onPublished, onClose }: PublishDialogProps) {
  const [version, setVersion] = useState('');
  const go = useNavigate();
  const toast = useToast();
  const before = useBundle(active.version);
  const required = useSimulationRequired().data?.simulation_required ?? false;
  const { answer } = draft;
  const diff = useMemo(
    () => (before.data && answer.bundle ? policyDiff(before.data, answer.bundle) : undefined),
    [before.data, answer.bundle],
  );
  const simulation = report && isFor(report, answer.bundle_digest, active) ? report.simulation : undefined;
  const refused =
    required && !simulation ? 'This tenant requires a simulation of exactly these rules first: close this and simulate.' : undefined;
  const publishing = useChange((api, named: { version?: string }) =>
    api.POST('/v1/policies', { body: { ...draft.draft, ...named, ...(simulation && { simulation }) } as never }),
  );
  const { taken, problem } = refusalWords(publishing.problem);
  const { at, rest } = placedErrors(problem, ['/version']);
  const submit = async () => {
    const named = version.trim();
    const answered = await publishing.run(named === '' ? {} : { version: named });
    if (!answered.ok) return;
    onPublished();
    toast({ tone: 'good', text: `Published as ${versionWord(answered.data.version)}` });
    go(versionHref(answered.data.version));
  };
  return (
    <FormDialog
      title="Publish this draft?"
      action="Publish"
      size="wide"
      is_pending={publishing.is_pending}
      problem={rest}
      refused={refused}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>It becomes a version that never changes. It decides nothing before it is activated, which is the next step.</p>
      {answer.published_as !== null && (
        <p class="policies-note">
          <InertText text={`These are exactly the rules of ${versionWord(answer.published_as)}.`} />
        </p>
      )}
      <TextField
        label="Version"
        hint="Letters, digits and . _ -; empty: the next number"
        value={version}
        onValue={setVersion}
        error={taken ?? at['/version']}
        characters_max={64}
        mono
      />
      <p class="soft">{simulation ? 'Published with the report of your simulation.' : 'Published without a simulation.'}</p>
      {answer.overrides.length > 0 && (
        <p class="soft">
          Rules that override an approval: <InertText text={answer.overrides.map(({ rule }) => rule).join(', ')} characters_max={300} />
        </p>
      )}
      {diff && <RuleChanges diff={diff} names={[versionWord(active.version), 'the draft']} />}
    </FormDialog>
  );
}

/** A version of this name with other rules is an error of the name; a report that is out of date is made again. */
function refusalWords(problem: Problem | undefined): { taken?: string; problem?: Problem & { advice?: string } } {
  if (problem?.reason === 'policy_version_taken') return { taken: 'A version of this name has other rules. Choose another name.' };
  if (problem?.reason === 'simulation_required') return { problem: { ...problem, advice: 'Close this and simulate once more.' } };
  return problem ? { problem } : {};
}

const REPORT_MAX_MS = 23 * 3_600_000;

/** Whether the gateway would still take a report: of these rules, of the policy that is active now, and of today. */
function isFor({ bundle_digest, active, made_at }: Simulation, digest: string | null, now: ActivePolicy): boolean {
  return bundle_digest === digest && active === now.version && Date.now() - Date.parse(made_at) < REPORT_MAX_MS;
}
