/** One step of the schema. Never edited once released: a change is a new migration. SQL for PostgreSQL 15 to 18. */
export interface Migration {
  /** `0001-what-it-does`; run in the order of the list in index.ts. */
  name: string;
  /** Commands without parameters, run together in one transaction. */
  text: string;
}
