import { useMemo, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import { constraintsOf } from '../schema-form/constraints.js';
import { type FormNode, nodeOf, typeWord } from '../schema-form/form-node.js';
import { optionText } from '../schema-form/option-text.js';
import { type Schema, schemaOf, textOf } from '../schema-form/schema.js';

interface SchemaTableProps {
  schema: unknown;
  /** Whether a top-level field tells calls apart. */
  discriminating?: (name: string) => boolean;
  /** Outputs say what may be absent; inputs say what is required. */
  is_output?: boolean;
}

const none = () => false;

/** A schema for reading: fields with types and bounds. Nested parts open on a click, one level at a time. */
export function SchemaTable({ schema, discriminating = none, is_output = false }: SchemaTableProps) {
  const root = useMemo(() => schemaOf(schema), [schema]);
  const parts = partsOf(nodeOf(root, root));
  if (parts.length === 0) return <p class="soft">{typeText(nodeOf(root, root))}</p>;
  return <Parts parts={parts} root={root} depth={0} discriminating={discriminating} is_output={is_output} />;
}

interface Part {
  name: string;
  schema: Schema;
  is_required: boolean;
  /** A field of an object, in contrast to an item or a form. */
  is_field: boolean;
}

/** What stands inside of a value. */
function partsOf(node: FormNode): Part[] {
  if (node.kind === 'object') return node.members.map((member) => ({ ...member, is_field: true }));
  if (node.kind === 'list') return [{ name: 'each item', schema: node.items, is_required: false, is_field: false }];
  if (node.kind === 'variants')
    return node.variants.map(({ label, schema }) => ({ name: label, schema, is_required: false, is_field: false }));
  return [];
}

const SHOWN = 30;

interface PartsProps {
  parts: readonly Part[];
  root: Schema;
  depth: number;
  discriminating: (name: string) => boolean;
  is_output: boolean;
}

function Parts({ parts, root, depth, discriminating, is_output }: PartsProps) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <ul class={depth === 0 ? 'schema' : 'schema schema-inner'}>
      {parts.slice(0, shown).map((part) => (
        <PartLine key={part.name} {...{ part, root, depth, is_output }} is_discriminating={discriminating(part.name)} />
      ))}
      {parts.length > shown && (
        <li>
          <button type="button" class="text-button" onClick={() => setShown(shown + 100)}>
            Show more fields ({(parts.length - shown).toLocaleString('en')} left)
          </button>
        </li>
      )}
    </ul>
  );
}

interface PartLineProps extends Omit<PartsProps, 'parts' | 'discriminating'> {
  part: Part;
  is_discriminating: boolean;
}

function PartLine({ part, root, depth, is_discriminating, is_output }: PartLineProps) {
  const [is_open, setOpen] = useState(false);
  const node = useMemo(() => nodeOf(part.schema, root, depth + 1), [part.schema, root, depth]);
  const inner = partsOf(node);
  const description = textOf(node.schema, 'description') ?? (part.is_field ? textOf(node.schema, 'title') : undefined);
  return (
    <li class="schema-line">
      <div class="schema-head">
        <InertText text={part.name} characters_max={80} mono={part.is_field} />
        <span class="soft">{typeText(node)}</span>
        {part.is_field && part.is_required && !is_output && <Tag>required</Tag>}
        {part.is_field && !part.is_required && is_output && <Tag>may be absent</Tag>}
        {is_discriminating && part.is_field && <Tag tone="busy">discriminating</Tag>}
        {Object.hasOwn(node.schema, 'default') && <span class="faint">default {optionText(node.schema.default)}</span>}
        <Bounds schema={node.schema} />
      </div>
      {description && (
        <div class="schema-text">
          <InertText text={description} look="block" characters_max={300} />
        </div>
      )}
      {inner.length > 0 && (
        <button type="button" class="text-button" aria-expanded={is_open} onClick={() => setOpen(!is_open)}>
          {is_open ? 'Hide' : insideText(node, inner.length)}
        </button>
      )}
      {is_open && <Parts parts={inner} root={root} depth={depth + 1} discriminating={none} is_output={is_output} />}
    </li>
  );
}

const insideText = ({ kind }: FormNode, count: number): string =>
  kind === 'list' ? 'Show its items' : kind === 'variants' ? `Show its ${count} forms` : `Show its ${count} field${count === 1 ? '' : 's'}`;

function Bounds({ schema }: { schema: Schema }) {
  const text = constraintsOf(schema).join(' · ');
  return text === '' ? null : (
    <span class="faint">
      <InertText text={text} characters_max={160} />
    </span>
  );
}

const OPTIONS_SHOWN = 12;

/** The type of a value in words. */
function typeText(node: FormNode): string {
  if (node.kind === 'constant') return `always ${optionText(node.value)}`;
  if (node.kind === 'choice') {
    const more = node.options.length - OPTIONS_SHOWN;
    return `${node.options.slice(0, OPTIONS_SHOWN).map(optionText).join(' | ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  if (node.kind === 'variants') return `one of ${node.variants.length} forms`;
  if (node.kind === 'json') return `JSON (${node.reason})`;
  return typeWord(node.schema) ?? node.kind;
}
