import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Field, Select, TextField } from '../elements/field.js';
import { type Filter, type FilterValues, SPANS } from './filters.js';

interface FilterDialogProps {
  filters: readonly Filter[];
  values: FilterValues;
  onApply: (values: FilterValues) => void;
  onClose: () => void;
}

/** All filters of a list. */
export function FilterDialog({ filters, values, onApply, onClose }: FilterDialogProps) {
  const [draft, setDraft] = useState<FilterValues>(() => Object.fromEntries(filters.map(({ name }) => [name, values[name] ?? ''])));
  const form = 'filters-form';
  return (
    <Dialog
      title="Filter"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setDraft(Object.fromEntries(filters.map(({ name }) => [name, ''])))}>Clear</Button>
          <Button look="primary" type="submit" form={form}>
            Show
          </Button>
        </>
      }
    >
      <form
        id={form}
        class="filter-form"
        onSubmit={(event) => {
          event.preventDefault();
          onApply(draft);
        }}
      >
        {filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter}
            value={draft[filter.name] ?? ''}
            onValue={(value) => setDraft({ ...draft, [filter.name]: value })}
          />
        ))}
      </form>
    </Dialog>
  );
}

interface FilterFieldProps {
  filter: Filter;
  value: string;
  onValue: (value: string) => void;
}

function FilterField({ filter, value, onValue }: FilterFieldProps) {
  const { kind, label, options = [], hint, mono } = filter;
  if (kind === 'choices') return <Choices filter={filter} value={value} onValue={onValue} />;
  if (kind === 'choice' || kind === 'within')
    return (
      <Select label={label} hint={hint} value={value} onValue={onValue} options={[['', 'any'], ...(kind === 'within' ? SPANS : options)]} />
    );
  if (kind === 'time') return <TimeField filter={filter} value={value} onValue={onValue} />;
  return <TextField label={label} hint={hint} value={value} onValue={onValue} mono={mono ?? false} characters_max={200} />;
}

function Choices({ filter: { label, options = [] }, value, onValue }: FilterFieldProps) {
  const chosen = new Set(value === '' ? [] : value.split(','));
  const toggle = (option: string) => {
    const next = new Set(chosen);
    if (!next.delete(option)) next.add(option);
    onValue(options.flatMap(([each]) => (next.has(each) ? [each] : [])).join(','));
  };
  return (
    <fieldset class="filter-choices">
      <legend>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class="choice">
          <input type="checkbox" checked={chosen.has(option)} onChange={() => toggle(option)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** A time where the reader is; the address has it in UTC. */
function TimeField({ filter: { label, hint }, value, onValue }: FilterFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="datetime-local"
          value={value === '' ? '' : localTime(value)}
          onInput={(event) => onValue(event.currentTarget.value === '' ? '' : new Date(event.currentTarget.value).toISOString())}
        />
      )}
    </Field>
  );
}

/** The form that `datetime-local` takes. */
export function localTime(text: string): string {
  const time = new Date(text);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
