import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { Panel } from '../elements/screen.js';
import { Flags, hintsText } from './flag-words.js';
import type { Definition } from './upstream.js';

/** What a definition says, as hostile text: the description that agents see, what the scan found, and the schemas folded. */
export function DefinitionView({ title, definition }: { title: string; definition: Definition }) {
  const hints = hintsText(definition.annotations);
  return (
    <Panel title={title}>
      {definition.title !== '' && (
        <p>
          <span class="faint">Title</span> <InertText text={definition.title} characters_max={200} />
        </p>
      )}
      <div class="upstream-description">
        {definition.description === '' ? (
          <span class="faint">It has no description.</span>
        ) : (
          <InertText text={definition.description} look="block" characters_max={500} />
        )}
      </div>
      <div class="row">
        <span class="faint">Scan</span>
        {definition.flags.length === 0 ? <span>nothing found; that is no proof</span> : <Flags flags={definition.flags} />}
      </div>
      <p>
        <span class="faint">Hints of the server, unverified</span> {hints === '' ? 'none' : hints}
      </p>
      <Schema name="Inputs" value={definition.input_schema} />
      <Schema name="Outputs" value={definition.output_schema} />
    </Panel>
  );
}

function Schema({ name, value }: { name: string; value: unknown }) {
  return (
    <details class="upstream-schema">
      <summary>{name}</summary>
      <JsonTree value={value} open_levels={3} />
    </details>
  );
}
