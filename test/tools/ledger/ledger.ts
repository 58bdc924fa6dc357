import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { LedgerAction, Moment } from './fault-switches.js';
import { LEDGER_TABLES } from './ledger-schema.js';
import { LEDGER_SETTING } from './ledger-session.js';

/** What a tool must do wrong. `inputs` restricts it to calls that have these inputs. */
export interface FaultSwitch {
  tool: string;
  /** `run` unless it is said. */
  action?: LedgerAction;
  moment: Moment;
  /**
   * `refuse`: it fails without an effect. `lose`: it fails and nobody knows. `crash`: SIGKILL to the process of the tool. `delay`: it waits
   * for `delay_ms`.
   */
  fault: 'delay' | 'refuse' | 'lose' | 'crash';
  delay_ms?: number;
  inputs?: object;
  /** How many runs it hits; once unless it is said. */
  times?: number;
  /** How many runs it lets through first. */
  skip?: number;
}

/** The effect of one key. */
export interface LedgerEffect {
  tool: string;
  key: string;
  order_id: string | null;
  /** How often it happened; more than once is a fault of the platform. */
  count: number;
  /** The key of the compensation that undid it. */
  undone_by: string | null;
}

const EFFECTS = `
SELECT tool, key, min(order_id) AS order_id, count(*)::int AS count, max(undone_by) AS undone_by FROM (
  SELECT 'ledger_reserve' AS tool, key, order_id, released_by AS undone_by FROM reservations WHERE tenant_id = $1
  UNION ALL SELECT 'ledger_charge', p.key, p.order_id, r.key FROM payments p
    LEFT JOIN refunds r ON r.tenant_id = p.tenant_id AND r.payment_key = p.key WHERE p.tenant_id = $1
  UNION ALL SELECT 'ledger_set_price', key, NULL, reverted_by FROM price_changes WHERE tenant_id = $1
  UNION ALL SELECT 'ledger_ship', key, order_id, NULL FROM shipments WHERE tenant_id = $1
) effects GROUP BY tool, key ORDER BY tool, key`;

const IMBALANCES = `
SELECT 'stock of ' || sku AS what FROM articles a WHERE tenant_id = $1 AND available <> stocked - (
  SELECT coalesce(sum(quantity), 0) FROM reservations r WHERE r.tenant_id = $1 AND r.sku = a.sku AND released_by IS NULL)
UNION ALL SELECT 'balance of ' || account FROM accounts a WHERE tenant_id = $1 AND balance_cents <> opened_cents - (
  SELECT coalesce(sum(p.amount_cents), 0) FROM payments p WHERE p.tenant_id = $1 AND p.account = a.account
  AND NOT EXISTS (SELECT FROM refunds r WHERE r.tenant_id = $1 AND r.payment_key = p.key))`;

const TABLES = 'articles, accounts, reservations, payments, refunds, price_changes, shipments, requests, fault_switches';

/** A ledger for tests, in a schema of its own. Its tools reach it by `settings`. */
export class Ledger {
  private constructor(
    private readonly schema: string,
    private readonly database_url: string,
    private readonly pool: pg.Pool,
  ) {}

  /** @param database_url the Postgres that `scripts/real/postgres.sh` started */
  static async open(database_url: string): Promise<Ledger> {
    const schema = `ledger_${randomBytes(5).toString('hex')}`;
    const pool = new pg.Pool({ connectionString: database_url, options: `-csearch_path=${schema}`, max: 4 });
    await pool.query(`CREATE SCHEMA ${schema}; ${LEDGER_TABLES}`);
    return new Ledger(schema, database_url, pool);
  }

  /** Removes it with its content. */
  async close(): Promise<void> {
    await this.pool.query(`DROP SCHEMA ${this.schema} CASCADE`);
    await this.pool.end();
  }

  /** The settings of the pack, or the environment of the executor that loads it. */
  get settings(): Record<string, string> {
    const url = new URL(this.database_url);
    url.searchParams.set('options', `-csearch_path=${this.schema}`);
    return { [LEDGER_SETTING]: url.href };
  }

  async rows<R extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []): Promise<R[]> {
    return (await this.pool.query<R>(text, [...params])).rows;
  }

  async empty(): Promise<void> {
    await this.rows(`TRUNCATE ${TABLES}`);
  }

  async addArticle(sku: string, stocked: number, price_cents = 1_000, tenant_id = 'default'): Promise<void> {
    const params = [tenant_id, sku, stocked, price_cents];
    await this.rows('INSERT INTO articles (tenant_id, sku, stocked, available, price_cents) VALUES ($1, $2, $3, $3, $4)', params);
  }

  async addAccount(account: string, opened_cents: number, currency = 'EUR', tenant_id = 'default'): Promise<void> {
    const params = [tenant_id, account, currency, opened_cents];
    await this.rows('INSERT INTO accounts (tenant_id, account, currency, opened_cents, balance_cents) VALUES ($1, $2, $3, $4, $4)', params);
  }

  /** @returns its id for `untilTaken` */
  async switchOn(wanted: FaultSwitch): Promise<number> {
    const { tool, action = 'run', moment, fault, delay_ms = 0, inputs = {}, times = 1, skip = 0 } = wanted;
    const [row] = await this.rows<{ id: string }>(
      `INSERT INTO fault_switches (tool, action, moment, fault, delay_ms, inputs, times, skip)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [tool, action, moment, fault, delay_ms, inputs, times, skip],
    );
    return Number(row?.id);
  }

  async switchOff(id: number): Promise<void> {
    await this.rows('DELETE FROM fault_switches WHERE id = $1', [id]);
  }

  /** Waits until the switch has hit a run, which is then in its fault: the moment to kill a service. */
  async untilTaken(id: number, times = 1, timeout_ms = 60_000): Promise<void> {
    for (const end = performance.now() + timeout_ms; ; await sleep(20)) {
      const [row] = await this.rows<{ taken: number }>('SELECT seen - skip AS taken FROM fault_switches WHERE id = $1', [id]);
      if (row && row.taken >= times) return;
      if (performance.now() > end) throw new Error(`the switch ${id} hit ${row?.taken ?? 'nothing'} of ${times} runs in ${timeout_ms} ms`);
    }
  }

  effects(tenant_id = 'default'): Promise<LedgerEffect[]> {
    return this.rows<LedgerEffect>(EFFECTS, [tenant_id]);
  }

  async effectsOfOrder(order_id: string, tenant_id = 'default'): Promise<LedgerEffect[]> {
    return (await this.effects(tenant_id)).filter((effect) => effect.order_id === order_id);
  }

  /** What a correct platform never causes: a key with two effects, and sums that do not match their rows. Empty if all is well. */
  async faults(tenant_id = 'default'): Promise<string[]> {
    const twice = (await this.effects(tenant_id)).filter(({ count }) => count > 1);
    const sums = await this.rows<{ what: string }>(IMBALANCES, [tenant_id]);
    return [...twice.map(({ tool, key, count }) => `${tool} ${key} happened ${count} times`), ...sums.map(({ what }) => what)];
  }

  /** How often a tool was asked to do this about the key, whether or not it had an effect. */
  async requests(tool: string, action: LedgerAction, key: string, tenant_id = 'default'): Promise<number> {
    const params = [tenant_id, tool, action, key];
    const where = 'tenant_id = $1 AND tool = $2 AND action = $3 AND key = $4';
    return Number((await this.rows<{ count: string }>(`SELECT count(*) FROM requests WHERE ${where}`, params))[0]?.count);
  }

  async available(sku: string, tenant_id = 'default'): Promise<number> {
    const [row] = await this.rows<{ available: number }>('SELECT available FROM articles WHERE tenant_id = $1 AND sku = $2', [
      tenant_id,
      sku,
    ]);
    return row?.available as number;
  }

  async balanceCents(account: string, tenant_id = 'default'): Promise<number> {
    const params = [tenant_id, account];
    const [row] = await this.rows<{ balance_cents: string }>(
      'SELECT balance_cents FROM accounts WHERE tenant_id = $1 AND account = $2',
      params,
    );
    return Number(row?.balance_cents);
  }
}
