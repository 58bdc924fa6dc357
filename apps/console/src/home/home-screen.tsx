import { Screen } from '../elements/screen.js';
import { useSession } from '../gateway/context.js';
import { FirstStepsPanel } from './first-steps-panel.js';
import { RecentCalls } from './recent-calls.js';
import { useProgress } from './use-progress.js';
import { WaitingPanel } from './waiting-panel.js';
import './home.css';

/** `/`: the first steps of an empty installation; what waits for this person, and what happened last. */
export default function HomeScreen() {
  const { principal, tenant_id } = useSession();
  const progress = useProgress();
  return (
    <Screen title="Home" about={`Signed in as ${principal.id} of tenant ${tenant_id}`}>
      {progress && <FirstStepsPanel progress={progress} />}
      <WaitingPanel />
      <RecentCalls />
    </Screen>
  );
}
