import { EffectTag } from '../effects/effect-tag.js';
import { InertText } from '../elements/inert.js';
import { EmptyState } from '../elements/states.js';
import { Tag } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useQueryState } from '../navigation/navigation.js';
import { STATE_ORDER, TOOL_STATES, type ToolState, ToolStateBadge } from './state-words.js';
import { type ToolSummary, toolPath, type Upstream } from './upstream.js';

const COLUMNS: readonly Column<ToolSummary>[] = [
  {
    id: 'tool',
    title: 'Tool at the upstream',
    cell: ({ tool }) => <InertText text={tool} characters_max={80} mono />,
    width: 'minmax(0, 1.3fr)',
  },
  {
    id: 'name',
    title: 'Name for callers',
    cell: ({ name }) =>
      name === null ? <span class="faint">none: two tools have it</span> : <InertText text={name} characters_max={80} mono />,
    width: 'minmax(0, 1.4fr)',
    is_wide_only: true,
  },
  { id: 'state', title: 'State', cell: ({ state }) => <ToolStateBadge state={state} />, width: '124px' },
  { id: 'effect', title: 'Effect', cell: (tool) => <Effect {...tool} />, width: '150px' },
  {
    id: 'flags',
    title: 'Scan',
    cell: ({ flags }) => (flags.length === 0 ? <span class="faint">nothing found</span> : <Tag tone="bad">{`${flags.length} found`}</Tag>),
    width: '110px',
    is_wide_only: true,
  },
];

/** Until it is classified the class is not a statement about the tool. */
const Effect = ({ is_classified, effect_class }: ToolSummary) =>
  is_classified ? <EffectTag effect_class={effect_class} /> : <Tag tone="bad">as high risk</Tag>;

const rank = ({ state }: ToolSummary): number => STATE_ORDER.indexOf(state);

/** All tools of an upstream, those that need a person first. */
export function ToolsTab({ upstream: { name, tools, health } }: { upstream: Upstream }) {
  const [state, setState] = useQueryState('state');
  const counts = new Map<ToolState, number>();
  for (const tool of tools) counts.set(tool.state, (counts.get(tool.state) ?? 0) + 1);
  const shown = tools.filter((tool) => state === '' || tool.state === state).toSorted((a, b) => rank(a) - rank(b));
  if (tools.length === 0)
    return (
      <EmptyState icon="tools" title="No tools yet">
        {health.state === 'healthy' ? 'The server lists no tool that can be offered.' : 'They appear after the first complete listing.'}
      </EmptyState>
    );
  return (
    <div class="stack">
      <ChoiceBar label="State">
        <ChoiceButton is_pressed={state === ''} onPress={() => setState('')}>{`All ${tools.length}`}</ChoiceButton>
        {STATE_ORDER.filter((each) => counts.has(each)).map((each) => (
          <ChoiceButton key={each} is_pressed={state === each} onPress={() => setState(each)}>
            {`${TOOL_STATES[each][0]} ${counts.get(each) ?? 0}`}
          </ChoiceButton>
        ))}
      </ChoiceBar>
      {shown.length === 0 ? (
        <p class="soft">No tool is in this state now.</p>
      ) : (
        <Table
          label="Tools of the upstream"
          columns={COLUMNS}
          items={shown}
          keyOf={({ tool }) => tool}
          hrefOf={({ tool }) => toolPath(name, tool)}
        />
      )}
    </div>
  );
}
