import { PROXY_VARIABLES } from '@countersign/outbound';
import type { Pack } from '@countersign/tool-kit';
import { httpRequest } from './http-request.js';
import { httpSend } from './http-send.js';

/** Tools that speak HTTP to any public address and to listed hosts of private networks. */
export const pack: Pack = {
  name: 'http',
  version: '1.0.0',
  evaluations: new URL('../../eval/http/', import.meta.url),
  settings: { COUNTERSIGN_HTTP_ALLOW: undefined, ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, undefined])) },
  tools: [httpRequest, httpSend],
};
