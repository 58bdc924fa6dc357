import type { components } from '@countersign/client/generated/api';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Diff } from '../elements/diff.js';
import { TextArea } from '../elements/field.js';
import { differences } from '../elements/json-diff.js';
import { Skeleton } from '../elements/states.js';
import { Tabs } from '../elements/tabs.js';
import { useQuery } from '../gateway/use-query.js';
import { useDraft } from '../navigation/draft.js';
import type { DecisionDialogProps } from './decision-dialog.js';
import { fieldsOf, parsedInputs } from './input-fields.js';
import { InputForm } from './input-form.js';

/** A longer text would stop the browser while it is laid out. */
const JSON_CHARACTERS_MAX = 100_000;

type ToolVersion = components['schemas']['ToolVersion'];

/** Edits the inputs in a form or as JSON, and shows every difference before it is sent. The draft outlives an ended session. */
export function EditDialog({ approval, cast, onClose }: DecisionDialogProps) {
  const proposed = useMemo(() => approval.call?.inputs ?? {}, [approval.call?.inputs]);
  const before = useMemo(() => JSON.stringify(proposed, null, 2), [proposed]);
  const [draft, setDraft, clear] = useDraft(`approval-inputs:${approval.approval_id}`);
  const [is_reviewing, setReviewing] = useState(false);
  const text = draft === '' ? before : draft;
  const parsed = useMemo(() => parsedInputs(text), [text]);
  const changes = 'inputs' in parsed ? differences(proposed, parsed.inputs).length : 0;
  const has_ended = approval.status !== 'pending';
  const discard = () => {
    clear();
    setReviewing(false);
  };
  const send = () => {
    if (!('inputs' in parsed) || has_ended) return;
    cast({ vote: 'edit', inputs: parsed.inputs });
    clear();
  };
  return (
    <Dialog
      title={is_reviewing ? 'What you changed' : 'Edit the inputs'}
      onClose={onClose}
      size="wide"
      actions={
        <>
          <Button look="quiet" disabled={draft === ''} onClick={discard}>
            Discard my changes
          </Button>
          <Button onClick={is_reviewing ? () => setReviewing(false) : onClose}>{is_reviewing ? 'Back' : 'Close'}</Button>
          {is_reviewing ? (
            <Button look="primary" disabled={has_ended} onClick={send}>
              Send the edit
            </Button>
          ) : (
            <Button look="primary" disabled={changes === 0 || !('inputs' in parsed)} onClick={() => setReviewing(true)}>
              Review {changes > 0 ? `${changes} ${changes === 1 ? 'change' : 'changes'}` : 'changes'}
            </Button>
          )}
        </>
      }
    >
      {has_ended && <p class="decision-reason">The request has ended meanwhile. Your changes are kept here.</p>}
      {is_reviewing && 'inputs' in parsed ? (
        <>
          <Diff before={proposed} after={parsed.inputs} names={['proposed', 'edited']} />
          <p class="soft">A new request for the edited inputs replaces this one. Others decide about it; votes start again.</p>
        </>
      ) : (
        <Editor approval={approval} text={text} setText={setDraft} />
      )}
    </Dialog>
  );
}

function Editor({
  approval: { call },
  text,
  setText,
}: Pick<DecisionDialogProps, 'approval'> & { text: string; setText: (text: string) => void }) {
  const name = call?.tool ?? '';
  const version = call?.version ?? '';
  const { data: tool, is_loading } = useQuery<ToolVersion>({
    kind: 'tool',
    id: `${name}@${version}`,
    enabled: name !== '' && version !== '',
    read: (api, signal) => api.GET('/v1/tools/{name}/versions/{version}', { params: { path: { name, version } }, signal }),
  });
  const parsed = useMemo(() => parsedInputs(text), [text]);
  const fields = 'inputs' in parsed ? fieldsOf(tool?.input_schema, parsed.inputs) : undefined;
  const [tab, setTab] = useState('form');
  const shown = fields ? tab : 'json';
  const json = (
    <JsonEditor text={text} setText={setText} fault={'fault' in parsed ? parsed.fault : undefined} has_form={fields !== undefined} />
  );
  if (is_loading) return <Skeleton lines={6} label="Loading the form" />;
  if (!fields) return json;
  return (
    <Tabs
      label="How to edit"
      tabs={[
        { id: 'form', label: 'Form' },
        { id: 'json', label: 'JSON' },
      ]}
      selected={shown}
      onSelect={setTab}
    >
      {shown === 'form' && 'inputs' in parsed ? (
        <InputForm fields={fields} inputs={parsed.inputs} onInputs={(inputs) => setText(JSON.stringify(inputs, null, 2))} />
      ) : (
        json
      )}
    </Tabs>
  );
}

interface JsonEditorProps {
  text: string;
  setText: (text: string) => void;
  fault: string | undefined;
  has_form: boolean;
}

function JsonEditor({ text, setText, fault, has_form }: JsonEditorProps) {
  if (text.length > JSON_CHARACTERS_MAX)
    return (
      <p class="soft">
        These inputs are too long to edit as JSON here ({text.length.toLocaleString('en')} characters). Short inputs can be edited in the
        form, if there is one. Otherwise deny with a reason, or send the edit through the API.
      </p>
    );
  return (
    <TextArea
      label="Inputs as JSON"
      value={text}
      onValue={setText}
      mono
      rows={14}
      error={fault}
      {...(has_form || fault !== undefined ? {} : { hint: 'These inputs have no form.' })}
    />
  );
}
