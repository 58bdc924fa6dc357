import { type Row, type StandingExecution, type Statement, Store } from '@countersign/store';

/** For specs: answers the few SQL statements of the policy service from memory. */
export class MemoryStore extends Store {
  readonly durable = false;
  readonly snapshots = new Map<string, Row>();
  readonly rows: StandingExecution[] = [];
  /** Names of the executed statements. */
  readonly queryNames: string[] = [];
  fault: Error | undefined;

  async query<R extends Row>({ name, params }: Statement): Promise<R[]> {
    if (name?.startsWith('instance_')) return [];
    this.queryNames.push(name ?? '');
    if (this.fault) throw this.fault;
    const place = `${params[0]}/${params[1]}`;
    switch (name) {
      case 'rows_of_keys':
        return this.rows.filter((row) => (params[0] as string[]).includes(row.key)) as unknown as R[];
      case 'policy_snapshot_read':
        return (this.snapshots.has(place) ? [this.snapshots.get(place)] : []) as R[];
      case 'policy_snapshot_save':
        this.snapshots.set(place, { body: params[2], offsets: params[3] });
        return [];
      case 'limit_reservations_held':
      case 'store_pulse':
      case 'limit_partitions_counted':
      case 'limit_partition_counted':
        return [];
      default:
        throw new Error(`policy does not ask ${name}`);
    }
  }

  atomically(): never {
    throw new Error('policy needs no transaction');
  }

  transaction(): never {
    throw new Error('policy needs no transaction');
  }

  async close(): Promise<void> {}
}
