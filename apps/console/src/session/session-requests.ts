import { type Answer, answerOf, type Sent, UNREACHABLE } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';
import { personKey, type Session } from '../gateway/session.js';
import { claimDrafts, forgetDrafts } from '../navigation/draft.js';

/** An identity provider that people can sign in with. */
export interface Provider {
  provider_id: string;
  tenant_id: string;
  name: string;
}

async function sentTo<T>(gateway: Gateway, method: string, path: string, body?: object): Sent<T> {
  const init: RequestInit = body ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : { method };
  const response = await gateway.send(new Request(path, { ...init, credentials: 'same-origin', redirect: 'manual' }));
  const json = (response.headers.get('content-type') ?? '').includes('json') ? ((await response.json()) as T) : undefined;
  return response.ok ? { data: json as T, response } : { error: json, response };
}

/** Finds out who is signed in. Without a connection that is not known yet: nobody is asked to sign in for it. */
export async function readSession(gateway: Gateway): Promise<void> {
  const answer = await answerOf(sentTo<Session>(gateway, 'GET', '/v1/session'));
  if (answer.ok) signedIn(gateway, answer.data);
  else if (gateway.session.state.kind === 'loading' && answer.problem !== UNREACHABLE) gateway.session.set({ kind: 'signed_out' });
}

/** Tabs of a browser have one cookie: where one signs in or out, the others show the same person. */
const CHANNEL = 'countersign:session';

function announce(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Reads the session again when another tab has changed it, and when this one is shown again. */
export function followSession(gateway: Gateway): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => void readSession(gateway);
  const shown = () => document.visibilityState === 'visible' && void readSession(gateway);
  document.addEventListener('visibilitychange', shown);
  return () => {
    channel.close();
    document.removeEventListener('visibilitychange', shown);
  };
}

/** Signs in with an API key, which is not kept. */
export const signInByKey = (gateway: Gateway, key: string): Promise<Answer<Session>> => opened(gateway, '/v1/session', { key });

/** Signs in with the token of a one-time link. */
export const signInByLink = (gateway: Gateway, token: string): Promise<Answer<Session>> => opened(gateway, '/v1/session:link', { token });

export const readProviders = (gateway: Gateway): Promise<Answer<{ items: Provider[] }>> =>
  answerOf(sentTo(gateway, 'GET', '/v1/session/providers'));

/** Where the browser goes to sign in with a provider; it comes back to `return_to`. */
export const providerUrl = ({ provider_id }: Provider, return_to: string): string =>
  `/v1/session/openid/${encodeURIComponent(provider_id)}?return_to=${encodeURIComponent(return_to)}`;

/** Ends this session, or every session of this person. What was read and drafted is forgotten in this tab. */
export async function signOut(gateway: Gateway, { everywhere = false } = {}): Promise<Answer<unknown>> {
  await Promise.all([...gateway.leaving].map((finish) => finish()));
  const sent = everywhere ? sentTo(gateway, 'POST', '/v1/session:end-all') : sentTo(gateway, 'DELETE', '/v1/session');
  const answer = await answerOf(sent);
  if (!answer.ok && answer.problem.status !== 401) return answer;
  signedOut(gateway);
  announce();
  return answer;
}

function signedOut(gateway: Gateway): void {
  forgetDrafts();
  gateway.forget();
  gateway.session.set({ kind: 'signed_out' });
}

async function opened(gateway: Gateway, path: string, body: object): Promise<Answer<Session>> {
  const answer = await answerOf(sentTo<Session>(gateway, 'POST', path, body));
  if (answer.ok) {
    signedIn(gateway, answer.data);
    announce();
  }
  return answer;
}

/** Nothing that one person read or drafted is shown to another. */
function signedIn(gateway: Gateway, session: Session): void {
  const { state } = gateway.session;
  gateway.claim(personKey(session));
  claimDrafts(personKey(session));
  gateway.session.set({ kind: 'active', session });
  if (state.kind === 'expired') gateway.invalidator.everything();
}
