import { readFileSync } from 'node:fs';
import { Pace } from '@countersign/pack-operations/hermes/pace';
import { TrytonModels } from '@countersign/pack-operations/tryton/tryton-model';
import { TrytonRpc } from '@countersign/pack-operations/tryton/tryton-rpc';
import { realPart } from '../tools/real-parts.js';

export const PASSWORD = 'agent-Pass-1';
const signal = new AbortController().signal;

/** Tables of a mapping: ids of agents to ids of Tryton. */
type Tables = Record<'suppliers' | 'products' | 'currencies', Record<string, number>>;

/** The seeded Tryton, as its own administrator sees it. */
export class TrytonWorld {
  readonly url = new URL(realPart('COUNTERSIGN_TEST_TRYTON'));
  private readonly models = new TrytonModels(
    new TrytonRpc({ url: this.url, user: 'agent', company: 1 }, async () => PASSWORD, new Pace({ at_once: 8, per_second: 1_000 })),
  );

  /** Purchase orders of this delivery date. */
  async ordersOn(delivery_date: string): Promise<{ id: number; state: string; reference: string }[]> {
    const [year, month, day] = delivery_date.split('-').map(Number);
    const domain = [['delivery_date', '=', { __class__: 'date', year, month, day }]];
    return (await this.models.search('purchase.purchase', domain, ['state', 'reference'], 1_000, signal)) as never;
  }

  /** A mapping of the pack with the ids of this database. */
  async mapping(tool: string): Promise<object> {
    const definition = JSON.parse(readFileSync(`packs/operations/mappings/tryton/${tool}.json`, 'utf8')) as object;
    return { ...definition, tables: await this.tables() };
  }

  private async tables(): Promise<Tables> {
    const ids = async (model: string, name: string, like: string) => {
      const found = await this.models.search(model, [[name, 'like', like]], [name], 100, signal);
      return Object.fromEntries(found.map((record) => [String(record[name]), Number(record.id)]));
    };
    return {
      suppliers: await ids('party.party', 'code', 'sup%'),
      products: await ids('product.product', 'code', 'p%'),
      currencies: await ids('currency.currency', 'code', '%'),
    };
  }
}
