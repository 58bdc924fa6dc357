import { BlockList, isIP } from 'node:net';
import type { Caller } from '@countersign/calls';
import { LOCAL_ISSUER } from '@countersign/domain';
import { authorityOf } from '../authentication/authenticator.js';
import { DEFAULT_TENANT } from '../configuration/default-tenant.js';
import { type IncomingRequest, pathOf } from './reply.js';

const KEY_ID = 'loopback';
const rights = { scopes: [], clearances: [], purposes: null };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

function isLoopback(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '');
  return plain !== undefined && isIP(plain) !== 0 && loopback.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

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
  of({ headers, url, raw }: IncomingRequest): Caller | undefined {
    if (headers.authorization !== undefined || headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined)
      return undefined;
    if (pathOf(url) !== '/mcp' || !LOCAL_HOST.test(headers.host ?? '')) return undefined;
    return isLoopback(raw.socket.remoteAddress) ? this.caller : undefined;
  }
}
