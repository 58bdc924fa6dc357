import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { pointerTo } from '../elements/json-pointer.js';
import { type FieldProps, useForm } from './form-context.js';
import { FieldName, Group } from './form-label.js';
import { type FormNode, type Member, nodeOf } from './form-node.js';
import { addedValue } from './initial-value.js';
import { itemsOf, objectOf, withItem, withMember } from './members.js';
import { ownMember, type Schema } from './schema.js';

/** More fields or items than this come when they are asked for. */
const SHOWN = 40;

type Node<K extends FormNode['kind']> = FormNode & { kind: K };

export function ObjectFields({ field, node }: { field: FieldProps; node: Node<'object'> }) {
  const { value, depth } = field;
  const [shown, setShown] = useState(SHOWN);
  const { issues, is_disabled, Field } = useForm();
  const set = (name: string, member: unknown) => field.onValue(withMember(value, name, member));
  const names = new Set(node.members.map(({ name }) => name));
  const extras = Object.keys(objectOf(value)).filter((name) => !names.has(name));
  const visible = node.members.filter(
    ({ name, is_required }, at) =>
      at < shown || is_required || ownMember(value, name) !== undefined || issues.has(pointerTo(field.pointer, name)),
  );
  return (
    <Group field={field} schema={node.schema}>
      {visible.slice(0, shown + SHOWN).map((member) => (
        <MemberField key={member.name} {...{ member, field, set }} />
      ))}
      {node.members.length > shown && (
        <Button onClick={() => setShown(shown + 2 * SHOWN)}>
          Show more fields ({(node.members.length - shown).toLocaleString('en')} left)
        </Button>
      )}
      {extras.slice(0, shown).map((name) => (
        <Field
          key={name}
          {...{ name, schema: node.extra ?? {}, is_required: false, depth: depth + 1 }}
          pointer={pointerTo(field.pointer, name)}
          value={ownMember(value, name)}
          onValue={(next) => set(name, next)}
          onRemove={() => set(name, undefined)}
        />
      ))}
      {node.extra && !is_disabled && <ExtraField schema={node.extra} taken={[...names, ...extras]} onAdd={set} />}
    </Group>
  );
}

interface MemberProps {
  member: Member;
  field: FieldProps;
  set: (name: string, member: unknown) => void;
}

/** An optional object or list is added by a button: so a schema that contains itself has an end. */
function MemberField({ member: { name, schema, is_required }, field, set }: MemberProps) {
  const { root, is_disabled, Field } = useForm();
  const value = ownMember(field.value, name);
  const place = { name, schema, is_required, depth: field.depth + 1, pointer: pointerTo(field.pointer, name), value };
  const { kind } = nodeOf(schema, root, place.depth);
  const is_nested = kind === 'object' || kind === 'list' || kind === 'variants';
  const common = { ...place, onValue: (next: unknown) => set(name, next) };
  if (is_nested && value === undefined && !is_required)
    return (
      <div class="form-absent" data-pointer={place.pointer}>
        <FieldName field={common} />
        <Button
          icon="plus"
          disabled={is_disabled}
          aria-label={`Add ${name.slice(0, 80)}`}
          onClick={() => set(name, addedValue(schema, root))}
        >
          Add
        </Button>
      </div>
    );
  return <Field {...common} onRemove={is_nested && !is_required ? () => set(name, undefined) : undefined} />;
}

/** A member under a name that the schema leaves open. */
function ExtraField({ schema, taken, onAdd }: { schema: Schema; taken: readonly string[]; onAdd: (name: string, value: unknown) => void }) {
  const { root } = useForm();
  const [name, setName] = useState('');
  const is_usable = name !== '' && !taken.includes(name);
  const add = () => {
    if (!is_usable) return;
    onAdd(name, addedValue(schema, root));
    setName('');
  };
  return (
    <div class="form-extra">
      <input
        class="input mono"
        value={name}
        placeholder="name of a further field"
        aria-label="Name of a further field"
        autocomplete="off"
        maxLength={200}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <Button icon="plus" disabled={!is_usable} onClick={add}>
        Add
      </Button>
    </div>
  );
}

export function ListFields({ field, node }: { field: FieldProps; node: Node<'list'> }) {
  const { root, is_disabled, Field } = useForm();
  const [shown, setShown] = useState(SHOWN);
  const items = itemsOf(field.value);
  const set = (at: number, item: unknown) => field.onValue(withItem(items, at, item));
  return (
    <Group field={field} schema={node.schema}>
      {items.slice(0, shown).map((item, at) => (
        <Field
          key={at}
          {...{ name: String(at), schema: node.items, is_required: true, depth: field.depth + 1 }}
          pointer={pointerTo(field.pointer, at)}
          value={item}
          onValue={(next) => set(at, next ?? null)}
          onRemove={() => set(at, undefined)}
        />
      ))}
      {items.length > shown && <Button onClick={() => setShown(shown + 2 * SHOWN)}>Show more items ({items.length - shown} left)</Button>}
      {!is_disabled && (
        <div>
          <Button icon="plus" onClick={() => field.onValue([...items, addedValue(node.items, root)])}>
            Add an item
          </Button>
        </div>
      )}
    </Group>
  );
}
