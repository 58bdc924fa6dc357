import type { TypedApi } from '@countersign/client/typed-api';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Gateway } from './gateway.js';
import type { Session, SessionState } from './session.js';

const GatewayContext = createContext<Gateway | undefined>(undefined);

export function GatewayProvider({ gateway, children }: { gateway: Gateway; children: ComponentChildren }) {
  return <GatewayContext.Provider value={gateway}>{children}</GatewayContext.Provider>;
}

export function useGateway(): Gateway {
  const gateway = useContext(GatewayContext);
  if (!gateway) throw new Error('a component that reads the API is below GatewayProvider');
  return gateway;
}

export const useApi = (): TypedApi => useGateway().api;

export function useSessionState(): SessionState {
  const { session } = useGateway();
  const [state, setState] = useState(session.state);
  useEffect(() => {
    setState(session.state);
    return session.subscribe(setState);
  }, [session]);
  return state;
}

/** The session of a screen, which is shown to signed-in people only. */
export function useSession(): Session {
  const state = useSessionState();
  if (state.kind === 'active' || state.kind === 'expired') return state.session;
  throw new Error('a screen is shown to signed-in people only');
}

export function useReachable(): boolean {
  const { reachability } = useGateway();
  const [is_reachable, setReachable] = useState(reachability.reachable);
  useEffect(() => reachability.subscribe(setReachable), [reachability]);
  return is_reachable;
}
