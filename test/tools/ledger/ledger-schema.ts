/**
 * The tables of a ledger: articles in stock with prices, accounts with balances, and one row for each effect under the idempotency key
 * of its run. `shipments` is the only table that takes a key twice: a second run of one key is a second shipment, as at a carrier that
 * knows no keys. `requests` has a row for everything that a tool was asked to do, whether or not it had an effect. `stocked` and `opened_cents` say what was there first, so that a sum tells whether something
 * was done or undone twice.
 */
export const LEDGER_TABLES = `
CREATE TABLE articles (
  tenant_id text NOT NULL, sku text NOT NULL, stocked integer NOT NULL,
  available integer NOT NULL CHECK (available >= 0),
  price_cents integer NOT NULL, priced_by text, PRIMARY KEY (tenant_id, sku));
CREATE TABLE accounts (
  tenant_id text NOT NULL, account text NOT NULL, currency text NOT NULL, opened_cents bigint NOT NULL,
  balance_cents bigint NOT NULL CHECK (balance_cents >= 0),
  PRIMARY KEY (tenant_id, account));
CREATE TABLE reservations (
  tenant_id text NOT NULL, key text NOT NULL, order_id text NOT NULL, sku text NOT NULL, quantity integer NOT NULL,
  available_after integer, released_by text, PRIMARY KEY (tenant_id, key));
CREATE TABLE payments (
  tenant_id text NOT NULL, key text NOT NULL, order_id text NOT NULL, account text NOT NULL, amount_cents integer NOT NULL,
  currency text NOT NULL, balance_after bigint, PRIMARY KEY (tenant_id, key));
CREATE TABLE refunds (
  tenant_id text NOT NULL, payment_key text NOT NULL, key text NOT NULL, amount_cents integer NOT NULL, currency text NOT NULL,
  PRIMARY KEY (tenant_id, payment_key));
CREATE TABLE price_changes (
  tenant_id text NOT NULL, key text NOT NULL, sku text NOT NULL, price_cents integer NOT NULL, previous_cents integer NOT NULL,
  previously_by text, reverted_by text, PRIMARY KEY (tenant_id, key));
CREATE TABLE shipments (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id text NOT NULL, key text NOT NULL, order_id text NOT NULL,
  reservation_id text NOT NULL, address text NOT NULL);
CREATE INDEX ON shipments (tenant_id, key);
CREATE INDEX ON shipments (tenant_id, reservation_id);
CREATE TABLE requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id text NOT NULL, tool text NOT NULL, action text NOT NULL, key text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE fault_switches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tool text NOT NULL,
  action text NOT NULL CHECK (action IN ('run', 'reconcile', 'verify', 'compensate')),
  moment text NOT NULL CHECK (moment IN ('before', 'after')),
  fault text NOT NULL CHECK (fault IN ('delay', 'refuse', 'lose', 'crash')),
  delay_ms integer NOT NULL DEFAULT 0, inputs jsonb NOT NULL DEFAULT '{}', times integer NOT NULL DEFAULT 1,
  skip integer NOT NULL DEFAULT 0, seen integer NOT NULL DEFAULT 0,
  -- A refusal promises that nothing happened.
  CHECK (fault <> 'refuse' OR moment = 'before'));
`;
