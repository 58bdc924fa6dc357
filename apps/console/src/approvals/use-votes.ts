import { useEffect, useReducer } from 'preact/hooks';
import { useGateway, useSession } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import { personKey } from '../gateway/session.js';
import { VoteSender } from './vote-sender.js';

/** The sender of each gateway, and whose votes it sends. It outlives the screen: an answer may come after its voter has moved on. */
const senders = new WeakMap<Gateway, { person: string; sender: VoteSender }>();

function senderOf(gateway: Gateway, person: string): VoteSender {
  const known = senders.get(gateway);
  if (known?.person === person) return known.sender;
  known?.sender.close();
  const sender = new VoteSender(gateway, sessionStorage);
  senders.set(gateway, { person, sender });
  sender.open(window);
  return sender;
}

/** The votes of this person in this tab; the component is drawn again when one of them changes. */
export function useVotes(): VoteSender {
  const gateway = useGateway();
  const sender = senderOf(gateway, personKey(useSession()));
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => sender.subscribe(() => render()), [sender]);
  return sender;
}
