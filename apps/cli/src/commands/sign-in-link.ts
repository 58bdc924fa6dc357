import { parseArgs } from 'node:util';
import type { Command } from '../command.js';
import { apiOf, Refused } from '../operator-api.js';

const options = { url: { type: 'string' }, key: { type: 'string' } } as const;

/** `countersign sign-in-link`: a new one-time link, for whoever may read the admin key of this machine. */
export const signInLink: Command = {
  name: 'sign-in-link',
  usage: '[--url http://127.0.0.1:7070] [--key <admin key>]',
  about: 'prints a one-time link that signs "you" in to the console, in a browser on the machine of the gateway',
  async run(args, env) {
    try {
      const { values } = parseArgs({ args: [...args], options });
      const { url, expires_at } = await (await apiOf(values, env)).ask<{ url: string; expires_at: string }>('POST', '/v1/sign-in-links');
      return { code: 0, lines: [url, `once, until ${expires_at}`] };
    } catch (cause) {
      if (cause instanceof Refused) return { code: 1, lines: [cause.message] };
      if (cause instanceof TypeError && 'code' in cause)
        return { code: 2, lines: [cause.message, `usage: npm run countersign -- sign-in-link ${signInLink.usage}`] };
      throw cause;
    }
  },
};
