import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Field, Select, TextArea, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { type InputField, withInput } from './input-fields.js';

interface InputFormProps {
  fields: readonly InputField[];
  inputs: Record<string, unknown>;
  onInputs: (inputs: Record<string, unknown>) => void;
}

/** One control for each input of the tool. */
export function InputForm({ fields, inputs, onInputs }: InputFormProps) {
  return (
    <div class="input-form">
      {fields.map((field) => (
        <Control
          key={field.name}
          field={field}
          value={Object.hasOwn(inputs, field.name) ? inputs[field.name] : undefined}
          onValue={(value) => onInputs(withInput(inputs, field.name, value))}
        />
      ))}
    </div>
  );
}

interface ControlProps {
  field: InputField;
  value: unknown;
  onValue: (value: unknown) => void;
}

const HINT_MAX = 200;
const NAME_MAX = 80;

function Control({ field, value, onValue }: ControlProps) {
  const label = `${field.name.slice(0, NAME_MAX)}${field.is_required ? '' : ' (optional)'}`;
  const hint = field.description === '' ? undefined : <InertText text={field.description} characters_max={HINT_MAX} />;
  // an optional input that is emptied is left out
  const text = (next: string) => onValue(next === '' && !field.is_required ? undefined : next);
  const shown = { label, hint };
  switch (field.kind) {
    case 'text':
      return <TextField {...shown} value={asText(value)} onValue={text} />;
    case 'long_text':
      return <TextArea {...shown} value={asText(value)} onValue={text} />;
    case 'number':
      return <NumberControl {...{ field, value, onValue }} {...shown} />;
    case 'choice': {
      const options = [...(field.is_required ? [] : [['', 'not set'] as const]), ...field.choices.map((one) => [one, one] as const)];
      return <Select {...shown} value={asText(value)} onValue={text} options={options} />;
    }
    case 'boolean':
      return (
        <Select
          {...shown}
          value={value === undefined ? '' : String(value)}
          onValue={(next) => onValue(next === '' ? undefined : next === 'true')}
          options={[...(field.is_required ? [] : [['', 'not set'] as const]), ['true', 'yes'], ['false', 'no']]}
        />
      );
    case 'json':
      return (
        <Field {...shown}>
          {(control) => (
            <output id={control.id} class="soft">
              {value === undefined ? 'not set' : 'edit it as JSON'}
            </output>
          )}
        </Field>
      );
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keeps what is typed until it is a number: `1.` and `-` are on the way to one. */
function NumberControl({ field, value, onValue, ...shown }: ControlProps & { label: string; hint: ComponentChildren }) {
  const [typed, setTyped] = useState<string>();
  const text = typed !== undefined && Number(typed) === value ? typed : typeof value === 'number' ? String(value) : (typed ?? '');
  const is_wrong = typed !== undefined && typed !== '' && !Number.isFinite(Number(typed));
  return (
    <TextField
      {...shown}
      value={is_wrong ? typed : text}
      error={is_wrong ? 'Enter a number.' : undefined}
      onValue={(next) => {
        setTyped(next);
        if (next.trim() === '' && !field.is_required) onValue(undefined);
        else if (next.trim() !== '' && Number.isFinite(Number(next))) onValue(Number(next));
      }}
    />
  );
}
