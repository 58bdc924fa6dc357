import { useEffect, useState } from 'preact/hooks';
import type { FieldProps } from './form-context.js';
import { Labelled } from './form-label.js';
import type { FormNode } from './form-node.js';
import { hiddenNames, optionText } from './option-text.js';
import { jsonFrom, jsonText, numberFrom, Unparsed } from './unparsed.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

type Node<K extends FormNode['kind']> = FormNode & { kind: K };

/** An optional text that is cleared is left out; a required one stays as an empty text. */
export function TextInput({ field, node }: { field: FieldProps; node: Node<'text'> }) {
  const { value, onValue, is_required } = field;
  const text = typeof value === 'string' ? value : value === undefined ? '' : jsonText(value);
  const write = (next: string) => onValue(next === '' && !is_required ? undefined : next);
  // a browser shows nothing in the place of a date that is none
  const type = (node.input === 'date' && (text === '' || DATE.test(text)) ? 'date' : 'text') as 'text';
  const hidden = hiddenNames(text);
  const is_area = node.input === 'area' || text.includes('\n');
  return (
    <Labelled field={field} schema={node.schema} hint={hidden === '' ? undefined : `has hidden characters: ${hidden}`}>
      {(control) =>
        is_area ? (
          <textarea {...control} class="input form-area" rows={1} value={text} onInput={(event) => write(event.currentTarget.value)} />
        ) : (
          <input
            {...control}
            class="input"
            type={type}
            inputMode={node.input === 'email' || node.input === 'url' ? node.input : undefined}
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => write(event.currentTarget.value)}
          />
        )
      }
    </Labelled>
  );
}

/** Text while it is typed, so that `1.` and `-` can be written; a number as soon as it is one. */
export function NumberInput({ field, node }: { field: FieldProps; node: Node<'number'> }) {
  const { value, onValue } = field;
  const [text, setText] = useState(() => shownNumber(value));
  useEffect(() => {
    if (shownNumber(value) !== text && !isSame(text, value, node.is_integer)) setText(shownNumber(value));
  }, [value]);
  return (
    <Labelled field={field} schema={node.schema} hint={node.is_integer ? 'whole number' : 'number'}>
      {(control) => (
        <input
          {...control}
          class="input form-number"
          inputMode={node.is_integer ? 'numeric' : 'decimal'}
          value={text}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            onValue(currentTarget.value.trim() === '' ? undefined : numberFrom(currentTarget.value, node.is_integer));
          }}
        />
      )}
    </Labelled>
  );
}

const shownNumber = (value: unknown): string => (value === undefined ? '' : value instanceof Unparsed ? value.text : jsonText(value));

function isSame(text: string, value: unknown, is_integer: boolean): boolean {
  if (text.trim() === '') return value === undefined;
  const parsed = numberFrom(text, is_integer);
  return parsed instanceof Unparsed ? value instanceof Unparsed && value.text === text : parsed === value;
}

export function BooleanInput({ field, node }: { field: FieldProps; node: Node<'boolean'> }) {
  return <OptionList field={field} node={node} options={[true, false]} />;
}

export function ChoiceInput({ field, node }: { field: FieldProps; node: Node<'choice'> }) {
  return <OptionList field={field} node={node} options={node.options} />;
}

function OptionList({ field, node, options }: { field: FieldProps; node: FormNode; options: readonly unknown[] }) {
  const { value, onValue, is_required } = field;
  const written = JSON.stringify(value);
  const selected = value === undefined ? -1 : options.findIndex((option) => JSON.stringify(option) === written);
  return (
    <Labelled field={field} schema={node.schema}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={String(selected)}
          onChange={({ currentTarget }) => onValue(options[Number(currentTarget.value)])}
        >
          <option value="-1">{is_required ? 'Choose' : 'Not set'}</option>
          {options.map((option, at) => (
            <option key={at} value={String(at)}>
              {optionText(option)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** The only value that is allowed. */
export function ConstantInput({ field, node }: { field: FieldProps; node: Node<'constant'> }) {
  const { value, onValue, is_required } = field;
  useEffect(() => {
    if (is_required && value === undefined) onValue(node.value);
  }, [is_required, value === undefined]);
  if (!is_required) return <OptionList field={field} node={node} options={[node.value]} />;
  return (
    <Labelled field={field} schema={node.schema} hint="the only value that is allowed">
      {(control) => <input {...control} class="input" readOnly value={optionText(node.value)} />}
    </Labelled>
  );
}

/** JSON as text, for what a form cannot show. */
export function JsonInput({ field, node }: { field: FieldProps; node: Node<'json'> }) {
  const { value, onValue } = field;
  const [text, setText] = useState(() => jsonText(value));
  useEffect(() => {
    if (JSON.stringify(jsonFrom(text)) !== JSON.stringify(value)) setText(jsonText(value));
  }, [value]);
  return (
    <Labelled field={field} schema={node.schema} hint={`JSON: ${node.reason}`}>
      {(control) => (
        <textarea
          {...control}
          class="input mono form-area"
          rows={2}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            onValue(currentTarget.value.trim() === '' ? undefined : jsonFrom(currentTarget.value));
          }}
        />
      )}
    </Labelled>
  );
}
