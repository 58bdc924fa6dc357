import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { constraintsOf } from './constraints.js';
import { type FieldProps, useForm } from './form-context.js';
import { type Schema, textOf } from './schema.js';

const NAME_CHARACTERS = 80;
const DESCRIPTION_CHARACTERS = 240;

/** What the control of a field needs. */
export interface ControlIds {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  disabled: boolean;
}

interface LabelledProps {
  field: FieldProps;
  schema: Schema;
  /** In the place of the bounds of the schema. */
  hint?: string | undefined;
  children: (control: ControlIds) => ComponentChildren;
}

/** A control with the name, the description and the bounds of its schema, and what is wrong with its value. */
export function Labelled({ field, schema, hint, children }: LabelledProps) {
  const id = useId();
  const { issues, is_disabled } = useForm();
  const found = issues.get(field.pointer) ?? [];
  const described = [`${id}-hint`, ...(found.length > 0 ? [`${id}-issue`] : [])].join(' ');
  return (
    <div class="form-field" data-pointer={field.pointer}>
      <div class="form-label">
        <label for={id}>
          <FieldName field={field} />
        </label>
        <RemoveButton field={field} />
      </div>
      {children({ id, 'aria-describedby': described, 'aria-invalid': found.length > 0 || undefined, disabled: is_disabled })}
      <div id={`${id}-hint`} class="field-hint">
        <Description schema={schema} />
        <Bounds schema={schema} hint={hint} />
      </div>
      <Issues id={`${id}-issue`} messages={found} />
    </div>
  );
}

/** Several fields under one name. */
export function Group({ field, schema, children }: { field: FieldProps; schema: Schema; children: ComponentChildren }) {
  const { issues } = useForm();
  const id = useId();
  const found = issues.get(field.pointer) ?? [];
  if (field.name === undefined)
    return (
      <div class="form-fields">
        <Issues id={`${id}-issue`} messages={found} />
        {children}
      </div>
    );
  return (
    <fieldset class="form-group" data-pointer={field.pointer}>
      <legend class="visually-hidden">{field.name.slice(0, NAME_CHARACTERS)}</legend>
      <div class="form-label">
        <span class="form-group-name" aria-hidden="true">
          <FieldName field={field} />
        </span>
        <RemoveButton field={field} />
      </div>
      <div class="field-hint">
        <Description schema={schema} />
        <Bounds schema={schema} />
      </div>
      <Issues id={`${id}-issue`} messages={found} />
      <div class="form-fields">{children}</div>
    </fieldset>
  );
}

export function FieldName({ field: { name = 'Inputs', is_required } }: { field: FieldProps }) {
  return (
    <>
      <InertText text={name} characters_max={NAME_CHARACTERS} mono />
      {is_required && <span class="form-required"> required</span>}
    </>
  );
}

function RemoveButton({ field: { name, onRemove } }: { field: FieldProps }) {
  const { is_disabled } = useForm();
  if (!onRemove || is_disabled) return null;
  return (
    <Button
      look="quiet"
      icon="close"
      class="form-remove"
      aria-label={`Remove ${(name ?? '').slice(0, NAME_CHARACTERS)}`}
      onClick={onRemove}
    />
  );
}

function Description({ schema }: { schema: Schema }) {
  const text = textOf(schema, 'description') ?? textOf(schema, 'title');
  if (!text) return null;
  return <InertText text={text} characters_max={DESCRIPTION_CHARACTERS} />;
}

function Bounds({ schema, hint }: { schema: Schema; hint?: string | undefined }) {
  const text = [...constraintsOf(schema), ...(hint ? [hint] : [])].join(' · ');
  if (text === '') return null;
  return (
    <span class="form-bounds">
      <InertText text={text} characters_max={160} />
    </span>
  );
}

function Issues({ id, messages }: { id: string; messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <div id={id} class="field-error" role="alert">
      {messages.slice(0, 5).map((message) => (
        <p key={message}>
          <InertText text={message} characters_max={300} />
        </p>
      ))}
    </div>
  );
}
