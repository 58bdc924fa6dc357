import type { Caller } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import { LOCAL_ISSUER } from '@countersign/domain';
import { authorityOf } from '../authentication/authenticator.js';
import { isFromLoopback } from './loopback-request.js';
import { type IncomingRequest, pathOf } from './reply.js';

const KEY_ID = 'loopback';
const rights = { scopes: [], clearances: [], purposes: null };

/**
 * The caller of requests to `/mcp` that have no token and come from this machine itself. It exists only while the pack `conformance` is
 * loaded, because the conformance suite sends no token.
 */
export class LoopbackCaller {
  private readonly caller: Caller = {
    tenant_id: DEFAULT_TENANT,
    key_id: KEY_ID,
    principal: { kind: 'agent', id: 'mcp-conformance', roles: ['agent'] },
    issuer: LOCAL_ISSUER,
    scopes: [],
    clearances: [],
    authority: authorityOf(`key:${KEY_ID}`, rights),
  };

  /** A request of a browser on another site names its host, and one that a proxy forwards says so: both are refused. */
  of(request: IncomingRequest): Caller | undefined {
    const { headers, url } = request;
    if (headers.authorization !== undefined || pathOf(url) !== '/mcp') return undefined;
    return isFromLoopback(request) ? this.caller : undefined;
  }
}
