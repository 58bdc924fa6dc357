import { InertText } from '../elements/inert.js';
import { Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useSession } from '../gateway/context.js';
import { useQuery } from '../gateway/use-query.js';
import { Link } from '../navigation/link.js';
import { useParameter } from '../navigation/navigation.js';
import { type Call, callRights } from './call.js';
import { CallActions } from './call-actions.js';
import { CallContents } from './call-contents.js';
import { CallDecision } from './call-decision.js';
import { CallFacts } from './call-facts.js';
import { CallStatusPanel } from './call-status-panel.js';
import { CallTimes } from './call-times-panel.js';
import './calls.css';

/** `/calls/:id`: one call with everything that is on its record. */
export default function CallScreen() {
  const call_id = useParameter('id');
  const read = useQuery<Call>({
    kind: 'call',
    id: call_id,
    read: (api, signal) => api.GET('/v1/calls/{call_id}', { params: { path: { call_id } }, signal }),
  });
  if (read.data) return <CallView call={read.data} />;
  return (
    <Screen title="Call" about={<code>{call_id.slice(0, 120)}</code>}>
      {read.problem?.status === 404 ? (
        <NoCall />
      ) : read.problem ? (
        <ErrorState problem={read.problem} retry={read.refresh} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Screen>
  );
}

function NoCall() {
  return (
    <EmptyState title="There is no such call">
      <p>The link may be incomplete, the call may belong to another tenant, or retention has dropped its records.</p>
      <p>
        <Link href="/calls">See all calls</Link>
      </p>
    </EmptyState>
  );
}

function CallView({ call }: { call: Call }) {
  const rights = callRights(useSession(), call);
  const title = (
    <span class="mono">
      <InertText text={call.call_id} />
    </span>
  );
  return (
    <Screen title={(call.name ?? 'Call').slice(0, 120)} about={title} actions={<CallActions call={call} rights={rights} />}>
      <div class="call-columns">
        <div class="stack call-main">
          <CallStatusPanel call={call} />
          <CallContents call={call} />
          <CallTimes call={call} />
        </div>
        <div class="stack call-side">
          <CallDecision call={call} />
          <CallFacts call={call} />
        </div>
      </div>
    </Screen>
  );
}
