import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { InertText } from './inert.js';
import { DEPTH_MAX, MEMBERS_SHOWN, membersOf, pointerTo, sizeOf } from './json-pointer.js';
import './json-tree.css';

const TEXT_SHOWN = 300;

interface JsonTreeProps {
  value: unknown;
  /** So many levels are open at first. */
  open_levels?: number;
}

/** A JSON value as a tree. Closed parts are not drawn, long lists come in pieces; each value gives its JSON Pointer. */
export function JsonTree({ value, open_levels = 2 }: JsonTreeProps) {
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton text={JSON.stringify(value, null, 2)} label="Copy JSON" />
      </div>
      {membersOf(value) ? <Members value={value} pointer="" depth={0} open_levels={open_levels} /> : <Scalar value={value} />}
    </div>
  );
}

interface NodeProps {
  value: unknown;
  pointer: string;
  depth: number;
  open_levels: number;
}

function Members({ value, pointer, depth, open_levels }: NodeProps) {
  const [shown, setShown] = useState(MEMBERS_SHOWN);
  const members = membersOf(value) ?? [];
  if (members.length === 0) return <span class="faint json-empty">{Array.isArray(value) ? 'empty list' : 'no fields'}</span>;
  return (
    <ul class="json-members">
      {members.slice(0, shown).map(([name, member]) => (
        <Member key={name} name={name} value={member} pointer={pointerTo(pointer, name)} depth={depth + 1} open_levels={open_levels} />
      ))}
      {members.length > shown && (
        <li>
          <button type="button" class="text-button" onClick={() => setShown(shown + 10 * MEMBERS_SHOWN)}>
            Show more ({members.length - shown} left)
          </button>
        </li>
      )}
    </ul>
  );
}

function Member({ name, ...node }: NodeProps & { name: string }) {
  const [is_open, setOpen] = useState(node.depth < node.open_levels);
  const { value, pointer, depth } = node;
  const is_nested = membersOf(value) !== undefined;
  return (
    <li class="json-member">
      <div class="json-line">
        {is_nested && depth < DEPTH_MAX ? (
          <button type="button" class="json-toggle" aria-expanded={is_open} onClick={() => setOpen(!is_open)}>
            <Icon name={is_open ? 'down' : 'right'} size={12} />
            <Name name={name} />
            <span class="faint">{sizeOf(value)}</span>
          </button>
        ) : (
          <span class="json-leaf">
            <Name name={name} />
            {is_nested ? <span class="faint">{sizeOf(value)}, too deep to show</span> : <Scalar value={value} />}
          </span>
        )}
        <CopyButton text={pointer} label={`Copy the JSON Pointer ${pointer.slice(0, 100)}`} is_icon />
      </div>
      {is_nested && is_open && depth < DEPTH_MAX && <Members {...node} />}
    </li>
  );
}

const Name = ({ name }: { name: string }) => (
  <span class="json-name">
    <InertText text={name} characters_max={120} />
  </span>
);

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string')
    return (
      <span class="json-text">
        <InertText text={value} characters_max={TEXT_SHOWN} look={value.length > TEXT_SHOWN ? 'block' : 'inline'} />
      </span>
    );
  return <span class="json-scalar">{String(value)}</span>;
}
