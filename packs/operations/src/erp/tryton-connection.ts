import { createHash } from 'node:crypto';
import { Pace } from '../hermes/pace.js';
import type { Hermes } from '../hermes/port.js';
import { TrytonConnector } from '../tryton/tryton-connector.js';
import { TrytonModels } from '../tryton/tryton-model.js';
import { TrytonRpc } from '../tryton/tryton-rpc.js';
import type { ErpConnection } from './connection-file.js';

/** The longest timeout of the database with which the absence of a write is final after `settle_ms`. */
const TIMEOUT_MS_MAX = 10_000;
const OPENED_MAX = 64;

/** Opened connections: a session, limits and field types are for one customer, url and password. */
const opened = new Map<string, Promise<Hermes>>();

export function trytonOf(tenant_id: string, file: ErpConnection, password: string, signal: AbortSignal): Promise<Hermes> {
  const key = createHash('sha256')
    .update(JSON.stringify([tenant_id, file, password]))
    .digest('hex');
  const known = opened.get(key) ?? open(file, password, signal);
  opened.delete(key);
  opened.set(key, known);
  known.catch(() => opened.delete(key));
  if (opened.size > OPENED_MAX) opened.delete(opened.keys().next().value as string);
  return known;
}

async function open({ url, user, company, limits }: ErpConnection, password: string, signal: AbortSignal): Promise<Hermes> {
  const login = { url: new URL(url), user, company };
  const models = new TrytonModels(new TrytonRpc(login, async () => password, new Pace(limits)));
  return new TrytonConnector(models, login.url, company, await models.endsWithin(TIMEOUT_MS_MAX, signal));
}
