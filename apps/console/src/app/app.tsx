import { useEffect } from 'preact/hooks';
import { GatewayProvider, useGateway, useSessionState } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import { personKey } from '../gateway/session.js';
import { KeyboardProvider } from '../navigation/keyboard.js';
import type { Location } from '../navigation/location.js';
import { NavigationProvider, usePlace } from '../navigation/navigation.js';
import { readSession } from '../session/session-requests.js';
import { SignInAgain } from '../session/sign-in-again.js';
import { SignInScreen } from '../session/sign-in-screen.js';
import { Frame } from './frame.js';
import { ScreenSwitch } from './screen-switch.js';

/** The whole console: sign-in, or the frame with a screen. */
export function App({ gateway, location }: { gateway: Gateway; location: Location }) {
  return (
    <GatewayProvider gateway={gateway}>
      <NavigationProvider location={location}>
        <KeyboardProvider>
          <Content />
        </KeyboardProvider>
      </NavigationProvider>
    </GatewayProvider>
  );
}

function Content() {
  const gateway = useGateway();
  const state = useSessionState();
  const { path } = usePlace();
  useEffect(() => void readSession(gateway), [gateway]);
  if (state.kind === 'loading') return null;
  if (state.kind === 'signed_out' || path === '/sign-in') return <SignInScreen />;
  return (
    <>
      <Frame key={personKey(state.session)} session={state.session}>
        <ScreenSwitch />
      </Frame>
      {state.kind === 'expired' && <SignInAgain session={state.session} />}
    </>
  );
}
