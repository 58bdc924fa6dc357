import { useState } from 'preact/hooks';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { useChange } from '../forms/use-change.js';
import { LimitFields } from './limit-fields.js';
import { EMPTY_LIMIT, LIMIT_FIELDS, type LimitForm, type LimitRequest, limitFormOf, limitRequest } from './limit-form.js';
import { withLimitRace } from './limit-race.js';
import type { Limit } from './limit-words.js';

/** Adds a limit, or changes one. */
export function LimitDialog({ shown, onClose }: { shown?: Limit; onClose: () => void }) {
  // as it was when the form was opened: a change that somebody made meanwhile is not lost
  const [before] = useState(shown);
  const [form, setForm] = useState<LimitForm>(() => (before ? limitFormOf(before) : EMPTY_LIMIT));
  const [missing, setMissing] = useState<string>();
  const toast = useToast();
  const set = useChange((api, { limit_id, body }: { limit_id: string; body: LimitRequest }) =>
    api.PUT('/v1/limits/{limit_id}', {
      params: { path: { limit_id }, header: before ? { 'If-Match': before.etag } : { 'If-None-Match': '*' } },
      body,
    }),
  );
  const { at, rest } = placedErrors(withLimitRace(set.problem, shown), LIMIT_FIELDS);
  const submit = async () => {
    const limit_id = form.limit_id.trim();
    const is_name = limit_id !== '' && !/^\.+$/.test(limit_id);
    setMissing(is_name ? undefined : 'Enter a name, such as payments-per-hour');
    if (!is_name || !(await set.run({ limit_id, body: limitRequest(form) })).ok) return;
    toast({ tone: 'good', text: before ? 'The limit is changed' : 'The limit holds now' });
    onClose();
  };
  return (
    <FormDialog
      title={before ? 'Change the limit' : 'Add a limit'}
      action={before ? 'Save' : 'Add'}
      is_pending={set.is_pending}
      problem={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <LimitFields form={form} onForm={setForm} at={missing ? { ...at, '/limit_id': missing } : at} is_new={!before} />
    </FormDialog>
  );
}
