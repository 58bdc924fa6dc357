import type { Row, Sql, Statement, Store } from '../store.js';

/** A version of a tool in a tenant. */
export interface CircuitKey {
  tenant_id: string;
  tool: string;
  version: string;
}

/** The row of a circuit that failed lately or is open. */
export interface CircuitRow extends CircuitKey {
  /** Changed by each write; compared before the next one. */
  revision: number;
  /** JSON that is opaque to the store. */
  slots: string;
  failing_since_ms: number;
  openings: number;
  opened_at_ms: number | null;
  open_until_ms: number | null;
}

/** A change of one circuit. `revision`: that of the row that it was decided on; null: there was none. `after` null: the row goes. */
export interface CircuitChange extends CircuitKey {
  revision: number | null;
  after: Omit<CircuitRow, keyof CircuitKey | 'revision'> | null;
}

/** Further circuits of a tenant get no row: they stay closed. */
export const CIRCUITS_PER_TENANT_MAX = 200;
/** At most this many rows are read at once, over all tenants. */
export const CIRCUITS_READ_MAX = 20_000;

const COLUMNS = 'tenant_id, tool, version, revision, slots, failing_since_ms, openings, opened_at_ms, open_until_ms';
const ALL = `SELECT ${COLUMNS} FROM circuits ORDER BY tenant_id, tool, version LIMIT ${CIRCUITS_READ_MAX}`;
const OF_TENANT = `SELECT ${COLUMNS} FROM circuits WHERE tenant_id = $1 ORDER BY tool, version`;
const OF_KEYS = `SELECT ${COLUMNS.replaceAll(/(\w+)/g, 'c.$1')} FROM circuits c
JOIN unnest($1::text[], $2::text[], $3::text[]) AS k(tenant_id, tool, version) USING (tenant_id, tool, version)`;

/** The circuits of all tenants that have a row. */
export const allCircuits = (sql: Sql): Promise<CircuitRow[]> =>
  sql.query<CircuitRow & Row>({ name: 'circuits_all', text: ALL, params: [] });

/** Those of one tenant, by tool and version. */
export const circuitsOf = (sql: Sql, tenant_id: string): Promise<CircuitRow[]> =>
  sql.query<CircuitRow & Row>({ name: 'circuits_of_tenant', text: OF_TENANT, params: [tenant_id] });

const keyColumns = (keys: readonly CircuitKey[]) => [
  keys.map(({ tenant_id }) => tenant_id),
  keys.map(({ tool }) => tool),
  keys.map(({ version }) => version),
];

/** Those of these versions; a version without a row is closed. */
export async function circuitsFor(sql: Sql, keys: readonly CircuitKey[]): Promise<CircuitRow[]> {
  if (keys.length === 0) return [];
  return sql.query<CircuitRow & Row>({ name: 'circuits_for', text: OF_KEYS, params: keyColumns(keys) });
}

const LOCK = `SELECT 1 FROM circuits c JOIN unnest($1::text[], $2::text[], $3::text[]) AS k(tenant_id, tool, version)
USING (tenant_id, tool, version) ORDER BY c.tenant_id, c.tool, c.version FOR UPDATE OF c`;
const INSERT = `INSERT INTO circuits (tenant_id, tool, version, revision, slots, failing_since_ms, openings, opened_at_ms, open_until_ms)
SELECT i.tenant_id, i.tool, i.version, 1, i.slots, i.failing_since_ms, i.openings, i.opened_at_ms, i.open_until_ms
FROM (SELECT u.*, row_number() OVER (PARTITION BY u.tenant_id ORDER BY u.tool, u.version) AS n
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int4[], $7::int8[], $8::int8[])
    AS u(tenant_id, tool, version, slots, failing_since_ms, openings, opened_at_ms, open_until_ms)) AS i
WHERE (SELECT count(*) FROM circuits c WHERE c.tenant_id = i.tenant_id) + i.n <= ${CIRCUITS_PER_TENANT_MAX}
ON CONFLICT (tenant_id, tool, version) DO NOTHING RETURNING tenant_id, tool, version`;
const UPDATE = `UPDATE circuits c SET revision = c.revision + 1, slots = i.slots, failing_since_ms = i.failing_since_ms, openings = i.openings, opened_at_ms = i.opened_at_ms,
  open_until_ms = i.open_until_ms,
  probe_by = CASE WHEN c.openings = i.openings THEN c.probe_by END,
  probe_until_ms = CASE WHEN c.openings = i.openings THEN c.probe_until_ms END
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int4[], $7::int8[], $8::int8[], $9::int8[])
  AS i(tenant_id, tool, version, slots, failing_since_ms, openings, opened_at_ms, open_until_ms, revision)
WHERE c.tenant_id = i.tenant_id AND c.tool = i.tool AND c.version = i.version AND c.revision = i.revision
RETURNING c.tenant_id, c.tool, c.version`;
const REMOVE = `DELETE FROM circuits c USING unnest($1::text[], $2::text[], $3::text[], $4::int8[]) AS i(tenant_id, tool, version, revision)
WHERE c.tenant_id = i.tenant_id AND c.tool = i.tool AND c.version = i.version AND c.revision = i.revision
RETURNING c.tenant_id, c.tool, c.version`;

type Kept = CircuitChange & { after: NonNullable<CircuitChange['after']> };

const values = (changes: readonly Kept[]) => [
  ...keyColumns(changes),
  changes.map(({ after }) => after.slots),
  changes.map(({ after }) => after.failing_since_ms),
  changes.map(({ after }) => after.openings),
  changes.map(({ after }) => after.opened_at_ms),
  changes.map(({ after }) => after.open_until_ms),
];

function statementsOf(changes: readonly CircuitChange[]): Statement[] {
  const kept = changes.filter((change): change is Kept => change.after !== null);
  const inserts = kept.filter(({ revision }) => revision === null);
  const updates = kept.filter(({ revision }) => revision !== null);
  const gone = changes.filter(({ after, revision }) => after === null && revision !== null);
  return [
    ...(inserts.length > 0 ? [{ name: 'circuits_insert', text: INSERT, params: values(inserts) }] : []),
    ...(updates.length > 0
      ? [{ name: 'circuits_update', text: UPDATE, params: [...values(updates), updates.map(({ revision }) => revision)] }]
      : []),
    ...(gone.length > 0
      ? [{ name: 'circuits_remove', text: REMOVE, params: [...keyColumns(gone), gone.map(({ revision }) => revision)] }]
      : []),
  ];
}

/**
 * Writes each change whose row is still the one that it was decided on, at most one of each circuit. Rows are locked in the order of their
 * keys. @returns the circuits that were written; the others changed meanwhile, or their tenant has too many.
 */
export async function changeCircuits(store: Pick<Store, 'atomically'>, changes: readonly CircuitChange[]): Promise<CircuitKey[]> {
  const order = ({ tenant_id, tool, version }: CircuitKey) => JSON.stringify([tenant_id, tool, version]);
  const sorted = [...changes].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const statements = statementsOf(sorted);
  if (statements.length === 0) return [];
  const lock = { name: 'circuits_lock', text: LOCK, params: keyColumns(sorted) };
  const [, ...results] = await store.atomically([lock, ...statements], 'background');
  return results.flat() as unknown as CircuitKey[];
}
