import { type FieldProps, useForm } from './form-context.js';
import { nodeOf } from './form-node.js';
import { ListFields, ObjectFields } from './nested-fields.js';
import { BooleanInput, ChoiceInput, ConstantInput, JsonInput, NumberInput, TextInput } from './scalar-fields.js';
import { VariantFields } from './variant-fields.js';

/** One value of a form. */
export function SchemaField(field: FieldProps) {
  const { root } = useForm();
  const node = nodeOf(field.schema, root, field.depth);
  switch (node.kind) {
    case 'text':
      return <TextInput field={field} node={node} />;
    case 'number':
      return <NumberInput field={field} node={node} />;
    case 'boolean':
      return <BooleanInput field={field} node={node} />;
    case 'choice':
      return <ChoiceInput field={field} node={node} />;
    case 'constant':
      return <ConstantInput field={field} node={node} />;
    case 'object':
      return <ObjectFields field={field} node={node} />;
    case 'list':
      return <ListFields field={field} node={node} />;
    case 'variants':
      return <VariantFields field={field} node={node} />;
    case 'json':
      return <JsonInput field={field} node={node} />;
  }
}
