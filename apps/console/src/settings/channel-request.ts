import type { components } from '@countersign/client';
import { itemsOf } from '../forms/comma-list.js';

export type Channel = components['schemas']['WebhookInForce'];

/** What a person fills in for a channel. */
export interface ChannelForm {
  channel: Channel['channel'];
  url: string;
  types: string;
  description: string;
  state: 'active' | 'disabled';
}

export const EMPTY_CHANNEL: ChannelForm = { channel: 'webhook', url: '', types: 'approval.*', description: '', state: 'active' };
export const CHANNEL_FIELDS = ['/channel', '/url', '/types', '/description', '/state'];

export const formOf = ({ channel, url, types, description, state }: Channel): ChannelForm => ({
  channel,
  url,
  types: types.join(', '),
  description,
  state: state === 'active' ? 'active' : 'disabled',
});

/** The body that sets a channel. A change keeps the person that the channel acts as, which the form does not show. */
export function channelRequest(form: ChannelForm, before?: Channel) {
  const { channel, url, types, description, state } = form;
  const acts_as = before?.acts_as;
  return {
    channel,
    url: url.trim(),
    types: itemsOf(types),
    description: description.trim(),
    state,
    ...(acts_as && { acts_as: { id: acts_as.id, roles: acts_as.roles, ...(acts_as.issuer !== undefined && { issuer: acts_as.issuer }) } }),
  };
}
