/** One step of the schema. Never edit a released migration: add a new one. SQL for PostgreSQL 15 to 18. */
export interface Migration {
  /** `0001-what-it-does`; run in the order of the list in every-migration.ts. */
  name: string;
  /** Commands without parameters, run together in one transaction. */
  text: string;
}
