import { useEffect } from 'preact/hooks';
import { ToastProvider } from '../elements/toast.js';
import { GatewayProvider, useGateway, useSessionState } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import { personKey } from '../gateway/session.js';
import { KeyboardProvider } from '../navigation/keyboard.js';
import type { Location } from '../navigation/location.js';
import { NavigationProvider, usePlace } from '../navigation/navigation.js';
import { followSession, readSession } from '../session/session-requests.js';
import { SignInAgain } from '../session/sign-in-again.js';
import { SignInScreen } from '../session/sign-in-screen.js';
import { Frame } from './frame.js';
import { LiveQueries } from './live-queries.js';
import { ScreenSwitch } from './screen-switch.js';
import { UnreachableBanner } from './unreachable-banner.js';

/** The whole console: sign-in, or the frame with a screen. */
export function App({ gateway, location }: { gateway: Gateway; location: Location }) {
  return (
    <GatewayProvider gateway={gateway}>
      <NavigationProvider location={location}>
        <KeyboardProvider>
          <ToastProvider>
            <Content />
          </ToastProvider>
        </KeyboardProvider>
      </NavigationProvider>
    </GatewayProvider>
  );
}

function Content() {
  const gateway = useGateway();
  const state = useSessionState();
  const { path } = usePlace();
  useEffect(() => {
    const read = () => void (gateway.session.state.kind === 'loading' && readSession(gateway));
    read();
    return gateway.reachability.subscribe(read);
  }, [gateway]);
  useEffect(() => followSession(gateway), [gateway]);
  if (state.kind === 'loading')
    return (
      <main>
        <UnreachableBanner />
      </main>
    );
  if (state.kind === 'signed_out' || path === '/sign-in')
    return (
      <>
        <UnreachableBanner />
        <SignInScreen />
      </>
    );
  return (
    <>
      <LiveQueries key={personKey(state.session)} session={state.session} is_active={state.kind === 'active'}>
        <Frame session={state.session}>
          <ScreenSwitch />
        </Frame>
      </LiveQueries>
      {state.kind === 'expired' && <SignInAgain session={state.session} />}
    </>
  );
}
