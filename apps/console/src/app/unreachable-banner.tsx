import { Button } from '../elements/button.js';
import { useGateway, useReachable } from '../gateway/context.js';

/** Over every screen while the gateway does not answer. */
export function UnreachableBanner() {
  const { reachability } = useGateway();
  if (useReachable()) return null;
  return (
    <div class="banner" role="alert">
      <span>
        <strong>No connection to the gateway.</strong> You see what was read last. The console tries again by itself; what you write here
        stays.
      </span>
      <Button icon="refresh" onClick={() => reachability.check()}>
        Try now
      </Button>
    </div>
  );
}
