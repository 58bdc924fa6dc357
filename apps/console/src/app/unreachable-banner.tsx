import { Button } from '../elements/button.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useGateway, useReachable } from '../gateway/context.js';

/** Over every screen while the gateway does not answer. */
export function UnreachableBanner() {
  const { reachability } = useGateway();
  if (useReachable()) return null;
  return (
    <div class="banner">
      <p>
        <strong role="alert">No connection to the gateway.</strong> What you see is from <RelativeTime at={reachability.reached_at} />. The
        console tries again by itself; what you write here stays.
      </p>
      <Button icon="refresh" onClick={() => reachability.check()}>
        Try now
      </Button>
    </div>
  );
}
