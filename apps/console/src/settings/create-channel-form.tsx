import { useState } from 'preact/hooks';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { ChannelFields } from './channel-fields.js';
import { CHANNEL_FIELDS, channelRequest, EMPTY_CHANNEL } from './channel-request.js';
import { ShownOnce } from './shown-once.js';

/** Adds a channel, and shows its signing secret once. */
export function CreateChannelForm({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(EMPTY_CHANNEL);
  const [secret, setSecret] = useState<string>();
  const created = useChange((api, body: ReturnType<typeof channelRequest>) => api.POST('/v1/webhooks', { body }));
  const { at, rest } = placedErrors(created.problem, CHANNEL_FIELDS);
  const submit = async () => {
    const answer = await created.run(channelRequest(form));
    if (!answer.ok) return;
    if (answer.data.secret) setSecret(answer.data.secret);
    else onClose();
  };
  if (secret !== undefined)
    return (
      <ShownOnce
        title="The signing secret"
        about="Receivers verify with it that a message is from this gateway (Standard Webhooks)."
        value={secret}
        onClose={onClose}
      />
    );
  return (
    <FormDialog title="Add a channel" action="Add" is_pending={created.is_pending} problem={rest} onSubmit={submit} onClose={onClose}>
      <ChannelFields form={form} onChange={setForm} at={at} />
    </FormDialog>
  );
}
