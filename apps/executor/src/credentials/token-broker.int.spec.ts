import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressRules, OutboundDoor, Proxies } from '@countersign/outbound';
import { systemClock } from '@countersign/process';
import { KeyRing, Vault } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TokenBroker } from './token-broker.js';

const terms = { now_ms: 0, expires_at_ms: null, must_exist: false };
const keys = KeyRing.fromText(randomBytes(32).toString('base64'));
const received: (string | undefined)[] = [];
let endpoint: Server;
let host: string;
beforeAll(async () => {
  endpoint = createServer((request, response) => {
    received.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'exchanged', expires_in: 300 }));
  });
  await new Promise<void>((listening) => endpoint.listen(0, '127.0.0.1', listening));
  host = `127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
});
afterAll(() => endpoint.close());

test("a tenant's token endpoint never gets a secret of the installation", async () => {
  const vault = Vault.inMemory();
  await vault.set({ tenant_id: '', scope: 'org', owner: '', name: 'erp' }, 'of the installation', terms);
  const broker = new TokenBroker(
    vault,
    keys,
    systemClock,
    new OutboundDoor(AddressRules.forTools(new Set([host])), Proxies.of(undefined, {})),
  );
  const token = async (tenant_id: string) => {
    const user = { user_id: 'ann', text: 'of ann', expires_at_ms: Date.now() + 60_000 };
    const user_token_ref = await vault.seal(tenant_id, user, Date.now());
    const exchange = {
      name: 'erp',
      token_endpoint: `http://${host}/token`,
      client_id: 'c',
      client_secret: 'erp',
      audience: 'erp',
      scopes: [],
    };
    return broker.token({ ...exchange, changed_at_ms: 0 }, { tenant_id, agent_id: 'bot', user_token_ref });
  };
  expect(await token('acme')).toEqual({ kind: 'reissue', what: 'client_secret', reason: 'absent' });
  expect(received).toEqual([]);
  await vault.set({ tenant_id: 'acme', scope: 'workspace', owner: '', name: 'erp' }, 'of acme', terms);
  expect(await token('acme')).toMatchObject({ kind: 'token', value: 'exchanged' });
  expect(await token('default')).toMatchObject({ kind: 'token', value: 'exchanged' });
  expect(received.map((header) => Buffer.from(header?.slice(6) ?? '', 'base64').toString())).toEqual(
    ['c:of acme', 'c:of the installation'].map(encodeURI),
  );
});
