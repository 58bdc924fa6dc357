import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { EmptyState, ErrorState, ProblemNote, Skeleton } from '../elements/states.js';
import { placedErrors } from '../forms/placed-errors.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useQueryState } from '../navigation/navigation.js';
import { allChosen, type Choices, changed, choiceOf, chosenOf, chosenRequest, unflagged } from './bulk-choices.js';
import { BulkDialog } from './bulk-dialog.js';
import { BulkRow } from './bulk-row.js';
import { withClassificationRace } from './classification-race.js';
import { CLASSIFIERS, placeOf, type Upstream, type UpstreamTool } from './upstream.js';
import { useClassify } from './use-classify.js';

const PAGE = 25;
const NONE: Choices = new Map();

/** Classifies many tools at once. Rows are filled in; what no person has chosen is not sent. */
export function BulkTab({ upstream }: { upstream: Upstream }) {
  const { name, tools } = upstream;
  const [shown, setShown] = useQueryState('of', 'unclassified');
  const state = shown === 'active' ? 'active' : 'unclassified';
  const count = (of: string) => tools.filter((tool) => tool.state === of).length;
  return (
    <div class="stack">
      <p class="soft">
        Agents see the pinned description of each tool. The class decides whether its calls need an approval. Changed and suspended tools
        are decided on their own page.
      </p>
      <ChoiceBar label="Tools">
        <ChoiceButton is_pressed={state === 'unclassified'} onPress={() => setShown('unclassified')}>
          {`Unclassified ${count('unclassified')}`}
        </ChoiceButton>
        <ChoiceButton is_pressed={state === 'active'} onPress={() => setShown('active')}>
          {`Classified ${count('active')}`}
        </ChoiceButton>
      </ChoiceBar>
      <BulkList key={`${state} ${placeOf(upstream)}`} name={name} state={state} />
    </div>
  );
}

function BulkList({ name, state }: { name: string; state: 'unclassified' | 'active' }) {
  const list = useInfinite<UpstreamTool>({
    kind: 'configuration',
    key: ['upstream-tools', name, state],
    also: ['tool', 'security'],
    read: (api, cursor, signal) =>
      api.GET('/v1/upstreams/{name}/tools', {
        params: { path: { name }, query: { limit: PAGE, state, ...(cursor && { cursor }) } },
        signal,
      }),
  });
  const { items, problem } = list;
  if (list.is_loading) return <Skeleton lines={6} label="Loading the tools" />;
  if (!items) return problem ? <ErrorState problem={problem} retry={list.refresh} /> : null;
  if (items.length === 0)
    return (
      <EmptyState icon="check" title={state === 'active' ? 'No tool is classified yet' : 'No tool waits to be classified'}>
        {state === 'unclassified' && 'Changed and suspended tools stand under Tools.'}
      </EmptyState>
    );
  return <BulkForm name={name} items={items} more={list.has_more ? list.more : undefined} is_loading_more={list.is_loading_more} />;
}

interface BulkFormProps {
  name: string;
  items: readonly UpstreamTool[];
  more: (() => void) | undefined;
  is_loading_more: boolean;
}

function BulkForm({ name, items, more, is_loading_more }: BulkFormProps) {
  const [choices, setChoices] = useState(NONE);
  const [is_asked, setAsked] = useState(false);
  const classify = useClassify(name);
  const refused = refusalOf(useSession(), CLASSIFIERS);
  const chosen = chosenOf(choices, items);
  const plain = unflagged(items);
  const is_all = chosen.length > 0 && chosen.length >= plain.length;
  // Errors belong to the tools of the request that was refused, in its order.
  const [sent, setSent] = useState<readonly string[]>([]);
  const { at, rest } = placedErrors(
    withClassificationRace(classify.problem, sent),
    sent.map((_, index) => `/tools/${index}`),
  );
  const errorOf = (tool: string) => at[`/tools/${sent.indexOf(tool)}`];
  const submit = async () => {
    const body = chosenRequest(choices, items);
    setSent(body.map(({ tool }) => tool));
    const answer = await classify.run(body);
    setAsked(false);
    if (answer.ok) setChoices(NONE);
    return answer;
  };
  return (
    <>
      <div class="row row-spread upstream-bar">
        <Button onClick={() => setChoices(allChosen(choices, items, !is_all))} disabled={refused !== undefined}>
          {is_all
            ? 'Choose none'
            : plain.length === items.length
              ? `Choose all ${items.length} shown`
              : `Choose the ${plain.length} without findings`}
        </Button>
        <Button look="primary" onClick={() => setAsked(true)} disabled={refused !== undefined || chosen.length === 0} title={refused}>
          {chosen.length === 0 ? 'Nothing is chosen' : `Review ${chosen.length} chosen`}
        </Button>
      </div>
      {refused && <p class="soft">{refused}</p>}
      {plain.length < items.length && <p class="soft">Tools in which the scan found something are chosen one by one.</p>}
      {rest && <ProblemNote problem={rest} />}
      <ul class="upstream-rows" aria-label="Tools to classify">
        {items.map((tool) => (
          <BulkRow
            key={tool.tool}
            upstream={name}
            tool={tool}
            choice={choiceOf(choices, tool)}
            error={errorOf(tool.tool)}
            onChange={(fields) => setChoices((all) => changed(all, tool, fields))}
          />
        ))}
      </ul>
      {more && (
        <Button is_busy={is_loading_more} onClick={more}>
          {is_loading_more ? 'Loading' : 'Load more'}
        </Button>
      )}
      {is_asked && <BulkDialog {...{ choices, items, submit }} is_pending={classify.is_pending} onClose={() => setAsked(false)} />}
    </>
  );
}
