import { useMemo } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { ChoiceBar, ChoiceButton } from '../lists/choice-bar.js';
import { useQueryState } from '../navigation/navigation.js';
import { groupLines } from '../timeline/history-groups.js';
import { HISTORY_GROUPS, type HistoryGroup } from '../timeline/history-words.js';
import { Timeline } from '../timeline/timeline.js';
import type { CaseCall } from './use-case-calls.js';
import { useCaseHistory } from './use-case-history.js';

/** What happened in a case. The newest lines are read first; shown are they in the order that the reader chooses. */
export function CaseTimeline({ case_id, calls }: { case_id: string; calls: readonly CaseCall[] }) {
  const [filter, setFilter] = useQueryState('lines');
  const [order, setOrder] = useQueryState('order', 'oldest');
  const history = useCaseHistory(case_id);
  const shown = useMemo(() => shownGroups(filter), [filter]);
  const groups = useMemo(() => {
    const by_call = groupLines([...(history.items ?? [])].reverse(), shown);
    return order === 'newest' ? by_call.reverse() : by_call;
  }, [history.items, shown, order]);
  const of_call = useMemo(() => new Map(calls.map((call) => [call.call_id ?? '', call])), [calls]);
  const toggle = (group: HistoryGroup) => {
    const next = new Set(shown);
    if (!next.delete(group)) next.add(group);
    setFilter([...next].join(','));
  };
  const earlier = history.has_more && (
    <div class="timeline-more">
      <Button is_busy={history.is_loading_more} onClick={history.more}>
        {history.is_loading_more ? 'Loading' : 'Load earlier lines'}
      </Button>
    </div>
  );
  return (
    <div class="stack">
      <div class="row row-spread">
        <ChoiceBar label="Lines">
          <ChoiceButton is_pressed={shown.size === 0} onPress={() => setFilter('')}>
            All
          </ChoiceButton>
          {HISTORY_GROUPS.map(([group, label]) => (
            <ChoiceButton key={group} is_pressed={shown.has(group)} onPress={() => toggle(group)}>
              {label}
            </ChoiceButton>
          ))}
        </ChoiceBar>
        <Button look="quiet" onClick={() => setOrder(order === 'newest' ? 'oldest' : 'newest')}>
          {order === 'newest' ? 'Order: newest first' : 'Order: oldest first'}
        </Button>
      </div>
      {history.is_loading && <Skeleton lines={8} label="Reading the timeline" />}
      {!history.items && history.problem && <ErrorState problem={history.problem} retry={history.refresh} />}
      {history.items && groups.length === 0 && (
        <EmptyState icon="clock" title={shown.size > 0 ? 'No such lines' : 'Nothing has happened yet'}>
          <p>{shown.size > 0 ? 'Choose other lines above.' : 'Calls of this case appear here as they are made.'}</p>
        </EmptyState>
      )}
      {groups.length > 0 && (
        <div class="panel timeline-panel">
          {order === 'oldest' && earlier}
          <Timeline groups={groups} calls={of_call} />
          {order === 'newest' && earlier}
        </div>
      )}
    </div>
  );
}

function shownGroups(filter: string): ReadonlySet<HistoryGroup> {
  const chosen = new Set(filter.split(','));
  return new Set(HISTORY_GROUPS.flatMap(([group]) => (chosen.has(group) ? [group] : [])));
}
