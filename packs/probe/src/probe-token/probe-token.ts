import { defineTool, ToolError } from '@countersign/tool-kit';
import { z } from 'zod';

const HOSTS = ['127.0.0.1', 'localhost'];

/** Calls the counterparty with a brokered token and returns what it received. The token is sent to no other host, nor along a redirect. */
export const probeToken = defineTool({
  name: 'probe_token',
  version: '1.0.0',
  title: 'Call with a token of the user',
  description: 'For tests: calls the probe counterparty at the given path with the credential probe_token, and answers what it said.',
  category: 'probe',
  effect_class: 'read_external',
  network: HOSTS,
  auth_requirements: ['probe_token'],
  input: z.strictObject({ url: z.url() }),
  output: z.strictObject({ status: z.int(), body: z.string() }),
  run: async ({ url }, ctx) => {
    const { hostname } = new URL(url);
    if (!HOSTS.includes(hostname))
      throw new ToolError('POLICY_DENIED', `probe_token calls no other host than ${HOSTS.join(', ')}`, { effect: 'none' });
    const authorization = `Bearer ${await ctx.secrets.get('probe_token')}`;
    const response = await fetch(url, { headers: { authorization }, redirect: 'manual', signal: ctx.signal }).catch((cause: Error) => {
      throw new ToolError('NETWORK_ERROR', cause.message, { effect: 'none' });
    });
    return { status: response.status, body: await response.text() };
  },
});
