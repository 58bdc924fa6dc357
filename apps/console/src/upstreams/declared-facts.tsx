import { EFFECTS, isWrite } from '../effects/effect-words.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { duration } from '../elements/relative-time.js';
import { wordFor } from '../elements/word-for.js';
import type { Classification } from './classification.js';
import { bindingsText, resourcesText } from './overlay-lines.js';
import type { UpstreamTool } from './upstream.js';

const lines = (text: string) => text !== '' && <InertText text={text} look="block" mono characters_max={400} />;

/** What operators declared of a tool, beside what its server says. */
export function DeclaredFacts({ tool }: { tool: UpstreamTool }) {
  if (!tool.is_classified)
    return (
      <p class="soft">
        Nothing yet. The hints of the server suggest “{wordFor(EFFECTS, tool.suggestion.effect_class)}”; they may be wrong, and decide
        nothing.
      </p>
    );
  const overlay = tool.overlay as Partial<Classification>;
  const {
    effect_class = '',
    discriminating,
    key_input,
    resources,
    reconcile,
    compensation,
    settle_ms,
    settle_is_final,
    alias,
    summary,
  } = overlay;
  return (
    <>
      <Facts
        facts={[
          ['Effect', wordFor(EFFECTS, effect_class)],
          ['Identified by', isWrite(effect_class) && (discriminating ? lines(discriminating.join(', ')) : 'all inputs')],
          ['Carries our key', key_input !== undefined && lines(key_input)],
          ['Approvers read', summary !== undefined && lines(summary)],
          ['Acts on', resources && lines(resourcesText(resources))],
          [
            'If the answer is lost',
            isWrite(effect_class) && (reconcile ? <Looked reconcile={reconcile} /> : 'in doubt: a person must find out'),
          ],
          ['Settles', settle_ms !== undefined && `after ${duration(settle_ms)}${settle_is_final ? ', finally' : ''}`],
          ['Undone by', compensation && lines(`${compensation.tool}\n${bindingsText(compensation.inputs)}`)],
          ['Cached alias', alias && `results at most ${duration(alias.ttl_ms)} old`],
        ]}
      />
      <details class="upstream-schema">
        <summary>All of it as JSON</summary>
        <JsonTree value={overlay} open_levels={2} />
      </details>
    </>
  );
}

function Looked({ reconcile: { tool, inputs, matches, is_complete } }: { reconcile: NonNullable<Classification['reconcile']> }) {
  return (
    <div class="stack-tight">
      {lines(`${tool}\n${bindingsText(inputs)}`)}
      <InertText text={matches} look="block" mono characters_max={400} />
      <span class="soft">{is_complete ? 'No match: it did not happen.' : 'No match says nothing.'}</span>
    </div>
  );
}
