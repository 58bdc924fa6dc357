import { useMemo } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { Tabs } from '../elements/tabs.js';
import { useSession } from '../gateway/context.js';
import type { Schemas } from '../gateway/schemas.js';
import { hasRole } from '../gateway/session.js';
import { useQuery } from '../gateway/use-query.js';
import { Link } from '../navigation/link.js';
import { useParameter, useQueryState } from '../navigation/navigation.js';
import { CaseActions } from './case-actions.js';
import { CaseHead } from './case-head.js';
import { CaseTimeline } from './case-timeline.js';
import { CaseWaterfall } from './case-waterfall.js';
import { type CaseCall, useCaseCalls } from './use-case-calls.js';
import { WhatIf } from './what-if.js';
import './cases.css';

/** `/cases/:id`: a case with its timeline. */
export default function CaseScreen() {
  const case_id = useParameter('id');
  const read = useQuery({
    kind: 'case',
    id: case_id,
    read: (api, signal) => api.GET('/v1/cases/{case_id}', { params: { path: { case_id } }, signal }),
  });
  if (read.data) return <CaseView of={read.data} />;
  return (
    <Screen title="Case" about={<code>{case_id.slice(0, 120)}</code>}>
      {read.problem?.status === 404 ? (
        <NoCase />
      ) : read.problem ? (
        <ErrorState problem={read.problem} retry={read.refresh} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Screen>
  );
}

function NoCase() {
  return (
    <EmptyState title="There is no such case">
      <p>The link may be incomplete, or the case belongs to another tenant.</p>
      <p>
        <Link href="/cases">See all cases</Link>
      </p>
    </EmptyState>
  );
}

function CaseView({ of }: { of: Schemas['Case'] }) {
  const session = useSession();
  const [tab, setTab] = useQueryState('tab', 'timeline');
  const calls = useCaseCalls(of.case_id);
  const names = useMemo(() => namesOf(calls.items ?? []), [calls.items]);
  const may_ask = hasRole(session, ['operator', 'auditor', 'policy_admin']);
  const tabs = [
    { id: 'timeline', label: 'Timeline' },
    { id: 'calls', label: 'Waterfall' },
    ...(may_ask ? [{ id: 'what-if', label: 'What if' }] : []),
  ];
  const title = (of.title ?? 'Case').slice(0, 160);
  return (
    <Screen title={plain(title)} about={<CaseId of={of} />} actions={<CaseActions of={of} names={names} />}>
      <CaseHead of={of} calls={calls} />
      <Tabs label="Case" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === 'calls' ? (
          <CaseWaterfall case_id={of.case_id} calls={calls} />
        ) : tab === 'what-if' && may_ask ? (
          <WhatIf case_id={of.case_id} calls={calls.items ?? []} />
        ) : (
          <CaseTimeline case_id={of.case_id} calls={calls.items ?? []} />
        )}
      </Tabs>
    </Screen>
  );
}

const namesOf = (calls: readonly CaseCall[]): ReadonlyMap<string, string> =>
  new Map(calls.map(({ call_id = '', summary, tool }) => [call_id, summary ?? tool ?? call_id] as const));

/** A title is a heading and the name of the tab: hidden characters are left out of it. The case's own line shows them. */
const plain = (text: string): string => text.replace(/\p{C}/gu, '\ufffd');

function CaseId({ of: { case_id, external_id } }: { of: Schemas['Case'] }) {
  return (
    <span class="mono">
      {external_id && (
        <>
          <InertText text={external_id} characters_max={80} /> ·{' '}
        </>
      )}
      <InertText text={case_id} characters_max={80} />
    </span>
  );
}
