import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Diff } from '../elements/diff.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { Flags } from './flag-words.js';
import type { Definition, UpstreamTool } from './upstream.js';

/** What a person compares: the words, the hints and the schemas. */
const compared = ({ title, description, annotations, input_schema, output_schema }: Definition) => ({
  title,
  description,
  hints: annotations,
  input_schema,
  output_schema,
});

const DIFFERENCES_SHOWN = 20;

interface DefinitionChangeProps {
  tool: UpstreamTool;
  refused: string | undefined;
  onAccept: () => void;
  onRefuse: () => void;
}

/** The definition that the upstream lists now beside the pinned one, and the decision about it. */
export function DefinitionChange({ tool, refused, onAccept, onRefuse }: DefinitionChangeProps) {
  const { pinned, listed, differences, state, overlay } = tool;
  const [shown, setShown] = useState(DIFFERENCES_SHOWN);
  if (!pinned || !listed) return null;
  const news = listed.flags.filter((flag) => !pinned.flags.includes(flag));
  const is_suspended = state === 'suspended';
  const was_refused = overlay.refused_digest === listed.digest && state === 'active';
  return (
    <Panel title={was_refused ? 'What the server says now was refused' : 'The server describes it in another way now'}>
      {differences.length > 0 && (
        <div class="stack-tight">
          <p>The new schemas break what callers of the pinned ones rely on:</p>
          <ul class="upstream-consequences">
            {differences.slice(0, shown).map(({ pointer, message }) => (
              <li key={pointer + message}>
                <code>
                  <InertText text={pointer || '/'} characters_max={200} />
                </code>{' '}
                <InertText text={message} characters_max={300} />
              </li>
            ))}
          </ul>
          {differences.length > shown && (
            <button type="button" class="text-button" onClick={() => setShown(differences.length)}>
              Show all {differences.length}
            </button>
          )}
        </div>
      )}
      {news.length > 0 && (
        <div class="row">
          <span class="faint">Newly found by the scan</span> <Flags flags={news} />
        </div>
      )}
      <Diff before={compared(pinned)} after={compared(listed)} names={['Pinned', 'New']} />
      <div class="row">
        <Button look="primary" onClick={onAccept} disabled={refused !== undefined} title={refused}>
          {is_suspended ? 'Allow again with the new definition' : 'Accept the new definition'}
        </Button>
        {!is_suspended && !was_refused && (
          <Button onClick={onRefuse} disabled={refused !== undefined} title={refused}>
            Refuse it
          </Button>
        )}
      </div>
      <p class="soft">
        {is_suspended
          ? 'While it is suspended, calls of it are denied.'
          : was_refused
            ? 'Agents see the pinned definition, until the server describes it in yet another way.'
            : 'Accepted, agents see the new definition under a new version. Refused, they see the pinned one, until the server describes it in yet another way.'}
      </p>
    </Panel>
  );
}
