import { useMemo, useState } from 'preact/hooks';
import { TextField } from '../elements/field.js';
import { Tabs } from '../elements/tabs.js';
import { AgentKey } from './agent-key.js';
import { Snippet } from './snippet.js';
import { snippetsFor } from './snippets.js';

/** A key for an agent, and the first call in three ways. The key stays in this page's memory only. */
export function CallStep() {
  const [key, setKey] = useState<string>();
  const [way, setWay] = useState('curl');
  const snippets = useMemo(() => snippetsFor(window.location.origin, key).filter(({ id }) => id !== 'rule'), [key]);
  const shown = snippets.find(({ id }) => id === way) ?? snippets[0];
  return (
    <div class="stack">
      <AgentKey made={key} onKey={setKey} />
      <details class="paste-key">
        <summary>Or paste a key that you have</summary>
        <TextField
          label="Key of an agent"
          hint="It is filled into the text below and sent nowhere. Leaving the page forgets it."
          value={key ?? ''}
          onValue={(text) => setKey(text.trim() === '' ? undefined : text.trim())}
          mono
          characters_max={200}
        />
      </details>
      {shown && (
        <Tabs label="Ways to call" tabs={snippets.map(({ id, title }) => ({ id, label: title }))} selected={shown.id} onSelect={setWay}>
          <Snippet text={shown.text} label="Copy the text" />
          {!key && (
            <p class="field-hint">
              It reads the key from <code>COUNTERSIGN_KEY</code>.
            </p>
          )}
        </Tabs>
      )}
      <p class="soft">
        It writes <code>hello.txt</code> in the workspace. This step is ticked when the call arrives.{' '}
        <a href="/docs/tutorials/first-call">More</a>
      </p>
    </div>
  );
}
