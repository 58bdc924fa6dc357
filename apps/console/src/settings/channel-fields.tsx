import { Select, TextField } from '../elements/field.js';
import type { ChannelForm } from './channel-request.js';

interface ChannelFieldsProps {
  form: ChannelForm;
  onChange: (form: ChannelForm) => void;
  /** Errors by JSON Pointer. */
  at: Readonly<Record<string, string>>;
}

const CHANNELS = [
  ['webhook', 'Webhook (signed)'],
  ['slack', 'Slack or a compatible chat'],
  ['mail', 'Mail'],
] as const;

/** The fields of a new channel and of a changed one. */
export function ChannelFields({ form, onChange, at }: ChannelFieldsProps) {
  const change = (fields: Partial<ChannelForm>) => onChange({ ...form, ...fields });
  const is_mail = form.channel === 'mail';
  return (
    <>
      <Select
        label="Kind"
        value={form.channel}
        onValue={(channel) => change({ channel: channel as ChannelForm['channel'] })}
        options={CHANNELS}
        error={at['/channel']}
      />
      <TextField
        label="Address"
        mono
        placeholder={is_mail ? 'mailto:approvers@example.org' : 'https://example.org/hooks'}
        value={form.url}
        onValue={(url) => change({ url })}
        error={at['/url']}
        characters_max={2000}
      />
      <TextField
        label="Notifications"
        hint="Types or prefixes with commas between them, such as approval.*"
        mono
        value={form.types}
        onValue={(types) => change({ types })}
        error={at['/types']}
      />
      <TextField
        label="Description"
        value={form.description}
        onValue={(description) => change({ description })}
        error={at['/description']}
        characters_max={500}
      />
      <Select
        label="State"
        value={form.state}
        onValue={(state) => change({ state: state as ChannelForm['state'] })}
        options={[
          ['active', 'Active'],
          ['disabled', 'Disabled: nothing is sent'],
        ]}
        error={at['/state']}
      />
    </>
  );
}
