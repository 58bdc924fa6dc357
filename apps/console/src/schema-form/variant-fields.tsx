import { useState } from 'preact/hooks';
import { type FieldProps, useForm } from './form-context.js';
import { Labelled } from './form-label.js';
import type { FormNode } from './form-node.js';
import { addedValue } from './initial-value.js';
import { optionText } from './option-text.js';
import { variantOf } from './variants.js';

/** A choice between the forms that a value may have, and the fields of the chosen one. */
export function VariantFields({ field, node }: { field: FieldProps; node: FormNode & { kind: 'variants' } }) {
  const { root, Field } = useForm();
  const [chosen, setChosen] = useState(() => (field.value === undefined ? -1 : variantOf(node.variants, field.value, root)));
  const at = field.value === undefined && field.name !== undefined ? -1 : chosen;
  const variant = node.variants[at];
  const choose = (next: number) => {
    setChosen(next);
    field.onValue(next < 0 ? undefined : addedValue(node.variants[next]?.schema, root));
  };
  return (
    <div class="form-variants">
      <Labelled field={field} schema={node.schema}>
        {(control) => (
          <select {...control} class="input" value={String(at)} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
            <option value="-1">{field.is_required ? 'Choose a form' : 'Not set'}</option>
            {node.variants.map(({ label }, index) => (
              <option key={index} value={String(index)}>
                {optionText(label)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {variant && (
        <div class="form-variant">
          <Field key={at} {...field} name={undefined} schema={variant.schema} depth={field.depth + 1} onRemove={undefined} />
        </div>
      )}
    </div>
  );
}
