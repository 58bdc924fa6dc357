import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Field, TextArea, TextField } from '../elements/field.js';
import { ProblemNote } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useMutation } from '../gateway/use-mutation.js';
import { optionText } from '../schema-form/option-text.js';
import type { LifecycleState } from './lifecycle-part.js';
import type { Tool, ToolVersion } from './tool-version.js';

const TEXTS: Readonly<Record<LifecycleState, readonly [title: string, what: string, done: string]>> = {
  active: ['Promote', 'Calls without a version use the newest active one.', 'is active'],
  deprecated: [
    'Deprecate',
    'Calls still run, with a warning that names the successor. From the end date on they are denied.',
    'is deprecated',
  ],
  blocked: ['Block', 'From now on every call of this version is denied. Calls that run are not stopped.', 'is blocked'],
};

interface LifecycleDialogProps {
  tool: Tool;
  version: ToolVersion;
  state: LifecycleState;
  onClose: () => void;
}

/** Asks for what a change of the lifecycle needs, and sends it. */
export function LifecycleDialog({ tool, version: { name, version }, state, onClose }: LifecycleDialogProps) {
  const [title, what, done] = TEXTS[state];
  const toast = useToast();
  const [reason, setReason] = useState('');
  const [sunset, setSunset] = useState('');
  const [successor, setSuccessor] = useState('');
  const decide = useMutation(
    (api, _: undefined) =>
      api.PUT('/v1/tools/{name}/versions/{version}/lifecycle', {
        params: { path: { name, version } },
        body: {
          state,
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
          ...(sunset === '' ? {} : { sunset_at: `${sunset}T00:00:00Z` }),
          ...(successor === '' ? {} : { use_instead: successor }),
        },
      }),
    () => [{ kind: 'tool' }],
  );
  const send = async () => {
    const answer = await decide.run(undefined);
    if (!answer.ok) return;
    toast({ tone: 'good', text: `${optionText(name)} v${optionText(version)} ${done}.` });
    onClose();
  };
  const others = tool.versions.filter((one) => one.version !== version).map((one) => `${name}@${one.version}`);
  return (
    <Dialog
      title={`${title} ${optionText(name)} v${optionText(version)}`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={state === 'blocked' ? 'danger' : 'primary'} is_busy={decide.is_pending} onClick={send}>
            {title}
          </Button>
        </>
      }
    >
      <p>{what}</p>
      {state === 'deprecated' && (
        <Field label="End date" hint="The version is blocked from the start of this day (UTC). Empty: no end yet.">
          {(control) => (
            <input {...control} class="input" type="date" value={sunset} onInput={(event) => setSunset(event.currentTarget.value)} />
          )}
        </Field>
      )}
      {state !== 'active' && (
        <TextField
          label="Successor"
          hint={`As name@version${others[0] ? `, for example ${optionText(others[0])}` : ''}. Callers read it in the warning.`}
          value={successor}
          onValue={setSuccessor}
          mono
          characters_max={200}
        />
      )}
      {state !== 'active' && (
        <TextArea label="Reason" hint="Kept with the decision." value={reason} onValue={setReason} characters_max={1000} />
      )}
      {decide.problem && <ProblemNote problem={decide.problem} />}
    </Dialog>
  );
}
