import { InfrastructureFault } from '@countersign/contracts';

/** The database refused a statement (constraint, data, syntax): a fault of the statement, not of the surroundings. */
export class SqlError extends Error {
  constructor(
    message: string,
    /** Five characters, PostgreSQL appendix A. */
    readonly sqlstate: string,
  ) {
    super(message);
  }
}

/** The database could not do it now: retried for ever, but by who knows what its SQLSTATE means. */
class DatabaseNotAble extends InfrastructureFault {
  constructor(
    message: string,
    /** Undefined if the database did not report it. */
    readonly sqlstate: string | undefined,
    cause: unknown,
  ) {
    super(`the database failed: ${message}${sqlstate ? ` (${sqlstate})` : ''}`, { cause });
  }
}

/** Classes of SQLSTATE that pass by themselves: connection, rolled back, no resources, operator intervention, system, internal. */
const SURROUNDINGS = new Set(['08', '25', '40', '53', '55', '57', '58', 'XX']);

/** A database error as InfrastructureFault (retried for ever) or SqlError (of this statement), by its SQLSTATE. */
export function sqlFault(sqlstate: string | undefined, message: string, cause?: unknown): Error {
  if (sqlstate === undefined || SURROUNDINGS.has(sqlstate.slice(0, 2))) {
    return new DatabaseNotAble(message, sqlstate, cause);
  }
  return new SqlError(message, sqlstate);
}
