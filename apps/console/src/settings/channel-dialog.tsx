import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { ProblemNote } from '../elements/states.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import { useMutation } from '../gateway/use-mutation.js';
import { ChannelAttempts, Outcome } from './channel-attempts.js';
import { ChannelFields } from './channel-fields.js';
import { CHANNEL_FIELDS, type Channel, channelRequest, formOf } from './channel-request.js';

/** A channel: what was sent to it, a test, its fields and its end. */
export function ChannelDialog({ item, onClose }: { item: Channel; onClose: () => void }) {
  const [mode, setMode] = useState<'facts' | 'change' | 'remove'>('facts');
  const { webhook_id } = item;
  const tested = useMutation(
    (api, id: string) => api.POST('/v1/webhooks/{webhook_id}/test', { params: { path: { webhook_id: id } } }),
    () => [{ kind: 'other', id: webhook_id }],
  );
  const [outcome, setOutcome] = useState<Parameters<typeof Outcome>[0]['attempt']>();
  const test = async () => {
    setOutcome(undefined);
    const answer = await tested.run(webhook_id);
    if (answer.ok) setOutcome(answer.data);
  };
  const back = () => setMode('facts');
  if (mode === 'change') return <ChangeForm item={item} onClose={back} />;
  if (mode === 'remove') return <RemoveForm item={item} onCancel={back} onRemoved={onClose} />;
  return (
    <Dialog
      title="Channel"
      onClose={onClose}
      actions={
        <>
          <Button is_busy={tested.is_pending} onClick={test}>
            {tested.is_pending ? 'Sending' : 'Send a test'}
          </Button>
          <Button onClick={() => setMode('change')}>Change</Button>
          <Button look="danger" onClick={() => setMode('remove')}>
            Remove
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Address', <InertText key="a" text={item.url} mono />],
          ['Notifications', <InertText key="t" text={item.types.join(', ')} />],
          ['Description', <InertText key="d" text={item.description || 'none'} />],
          ['State', item.state],
          ...(item.acts_as ? [['Links vote as', <InertText key="p" text={item.acts_as.id} />] as const] : []),
        ]}
      />
      <div role="status">{outcome && <Outcome attempt={outcome} label="The test" />}</div>
      {tested.problem && <ProblemNote problem={tested.problem} />}
      <ChannelAttempts webhook_id={webhook_id} awaited={outcome?.message_id} />
    </Dialog>
  );
}

/** With the ETag of what the person saw when the form was opened: a change that somebody made meanwhile is not lost. */
const placeOf = ({ webhook_id, etag }: Channel) => ({ path: { webhook_id }, header: { 'If-Match': etag } });

function ChangeForm({ item: shown, onClose }: { item: Channel; onClose: () => void }) {
  const [item] = useState(shown);
  const [form, setForm] = useState(() => formOf(item));
  const changed = useChange((api, body: ReturnType<typeof channelRequest>) =>
    api.PUT('/v1/webhooks/{webhook_id}', { params: placeOf(item), body }),
  );
  const { at, rest } = placedErrors(changed.problem, CHANNEL_FIELDS);
  const submit = async () => {
    if ((await changed.run(channelRequest(form, item))).ok) onClose();
  };
  return (
    <FormDialog title="Change the channel" action="Save" is_pending={changed.is_pending} problem={rest} onSubmit={submit} onClose={onClose}>
      <ChannelFields form={form} onChange={setForm} at={at} />
    </FormDialog>
  );
}

function RemoveForm({ item: shown, onCancel, onRemoved }: { item: Channel; onCancel: () => void; onRemoved: () => void }) {
  const [item] = useState(shown);
  const removed = useChange((api, _input: undefined) => api.DELETE('/v1/webhooks/{webhook_id}', { params: placeOf(item) }));
  return (
    <RemovalDialog
      title="Remove this channel?"
      action="Remove"
      removing={removed}
      done="The channel is removed"
      onCancel={onCancel}
      onRemoved={onRemoved}
    >
      <p>
        Nothing is sent to <InertText text={item.url} mono /> any more. A new channel has a new signing secret.
      </p>
    </RemovalDialog>
  );
}
