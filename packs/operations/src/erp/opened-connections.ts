import { createHash } from 'node:crypto';
import { Pace, type Turn } from '../hermes/pace.js';
import type { Hermes } from '../hermes/port.js';
import { OdooApi } from '../odoo/odoo-api.js';
import { OdooConnector } from '../odoo/odoo-connector.js';
import { TrytonConnector } from '../tryton/tryton-connector.js';
import { TrytonModels } from '../tryton/tryton-model.js';
import { TrytonRpc } from '../tryton/tryton-rpc.js';
import type { ErpConnection } from './connection-file.js';

/** The longest timeout of the database with which the absence of a write is final after `settle_ms`. */
const TIMEOUT_MS_MAX = 10_000;
const OPENED_MAX = 64;

/** Opened connections: a session, limits and field types are for one customer, url and password; the limits hold for both turns together. */
const opened = new Map<string, Promise<Readonly<Record<Turn, Hermes>>>>();

/** The connectors to the system that the file of a tenant names, opened once. */
export function erpOf(
  tenant_id: string,
  file: ErpConnection,
  secret: string,
  signal: AbortSignal,
): Promise<Readonly<Record<Turn, Hermes>>> {
  const key = createHash('sha256')
    .update(JSON.stringify([tenant_id, file, secret]))
    .digest('hex');
  const known = opened.get(key) ?? open(file, secret, signal);
  opened.delete(key);
  opened.set(key, known);
  known.catch(() => opened.delete(key));
  if (opened.size > OPENED_MAX) opened.delete(opened.keys().next().value as string);
  return known;
}

async function open(file: ErpConnection, secret: string, signal: AbortSignal): Promise<Readonly<Record<Turn, Hermes>>> {
  const pace = new Pace(file.limits);
  const next = await connector(file, secret, pace, signal);
  return { next, first: await connector(file, secret, pace.first(), signal) };
}

async function connector(file: ErpConnection, secret: string, pace: Pace, signal: AbortSignal): Promise<Hermes> {
  const url = new URL(file.url);
  const secretOf = async () => secret;
  if (file.connector === 'odoo') return new OdooConnector(new OdooApi({ url, database: file.database }, secretOf, pace), url);
  const { user, company } = file;
  const models = new TrytonModels(new TrytonRpc({ url, user, company }, secretOf, pace));
  return new TrytonConnector(models, url, company, await models.endsWithin(TIMEOUT_MS_MAX, signal));
}
