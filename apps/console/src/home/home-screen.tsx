import { Panel, Screen } from '../elements/screen.js';
import { useSession } from '../gateway/context.js';

/** `/`: where to begin. Its lists come with their screens. */
export default function HomeScreen() {
  const { principal, tenant_id } = useSession();
  return (
    <Screen title="Home" about={`Signed in as ${principal.id} of tenant ${tenant_id}`}>
      <Panel title="First steps">
        <ul class="stack-tight">
          <li>
            <a href="/docs/tutorials/first-call">Your first call</a>: call a tool and read what happened
          </li>
          <li>
            <a href="/docs/tutorials/first-approval">Your first approval</a>: let a second person decide
          </li>
          <li>
            <a href="/docs/tutorials/first-tool">Your first tool</a>: write one and call it
          </li>
          <li>
            <a href="/docs/api">API reference</a>: every route of the gateway
          </li>
        </ul>
      </Panel>
    </Screen>
  );
}
