import { Select, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { UNITS } from './exact-duration.js';
import type { LimitForm } from './limit-form.js';
import { hasField, LIMIT_KINDS } from './limit-words.js';

const KINDS = LIMIT_KINDS.map(({ kind, label }) => [kind, label] as const);
const SCOPES = [
  ['agent', 'each agent'],
  ['run', 'each run'],
  ['case', 'each case'],
  ['tool', 'each tool'],
  ['capability', 'each capability'],
  ['tenant', 'the tenant'],
] as const;
const EXCEEDED = [
  ['deny', 'is denied'],
  ['defer', 'waits until there is room'],
] as const;
const SIDE_EFFECTS = [
  ['none', 'none'],
  ['reads', 'reads'],
  ['writes', 'writes'],
] as const;
const TIME_UNITS = UNITS.map(([unit]) => [unit, unit] as const);

interface LimitFieldsProps {
  form: LimitForm;
  onForm: (form: LimitForm) => void;
  /** Errors by JSON Pointer. */
  at: Readonly<Record<string, string>>;
  is_new: boolean;
}

/** The fields of a limit: those of its kind only. */
export function LimitFields({ form, onForm, at, is_new }: LimitFieldsProps) {
  const set = (field: keyof LimitForm) => (value: string) => onForm({ ...form, [field]: value });
  const text = (field: keyof LimitForm) => ({ value: form[field], onValue: set(field), error: at[`/${field}`] });
  return (
    <>
      {is_new ? (
        <TextField label="Name" hint="Decisions name it: limit.payments-per-hour" characters_max={100} mono {...text('limit_id')} />
      ) : (
        <p>
          <strong>
            <InertText text={form.limit_id} />
          </strong>
        </p>
      )}
      <Select label="What it bounds" options={KINDS} {...text('kind')} />
      <Select label="Counted for" options={SCOPES} {...text('scope')} />
      {form.scope !== 'tenant' && (
        <TextField label="Only for" hint="Names or patterns, with commas between them; empty: for all" mono {...text('subjects')} />
      )}
      {form.kind !== 'enabled_tools' && (
        <TextField label="Tools" hint="Names or patterns such as pay_*; empty: all tools" mono {...text('tools')} />
      )}
      {hasField(form.kind, 'allowed') && <TextField label="Tools that may be called" hint="Names or patterns" mono {...text('allowed')} />}
      {hasField(form.kind, 'side_effects') && <Select label="Highest side effect" options={SIDE_EFFECTS} {...text('side_effects')} />}
      {hasField(form.kind, 'max') && <TextField label="At most" type="number" {...text('max')} />}
      {hasField(form.kind, 'window_ms') && (
        <Time label="In" hint="Sliding; empty: counts never expire" field="window" error={at['/window_ms']} {...{ form, set }} />
      )}
      {hasField(form.kind, 'amount') && (
        <TextField label="Amount of a call" hint="CEL, such as inputs.total" characters_max={4000} mono {...text('amount')} />
      )}
      {hasField(form.kind, 'per') && (
        <TextField
          label="Counted apart by"
          hint="CEL, such as inputs.supplier; empty: together"
          characters_max={4000}
          mono
          {...text('per')}
        />
      )}
      <Select label="A call above it" options={EXCEEDED} {...text('on_exceeded')} />
      {form.on_exceeded === 'defer' && (
        <Time label="Waits at most" hint="Empty: as long as usual" field="wait" error={at['/defer_timeout_ms']} {...{ form, set }} />
      )}
    </>
  );
}

interface TimeProps {
  label: string;
  hint: string;
  field: 'window' | 'wait';
  error: string | undefined;
  form: LimitForm;
  set: (field: keyof LimitForm) => (value: string) => void;
}

/** A length of time: a number and its unit. */
function Time({ label, hint, field, error, form, set }: TimeProps) {
  return (
    <div class="policies-time">
      <TextField label={label} hint={hint} type="number" value={form[field]} onValue={set(field)} error={error} />
      <Select label="Unit" value={form[`${field}_unit`]} onValue={set(`${field}_unit`)} options={TIME_UNITS} />
    </div>
  );
}
