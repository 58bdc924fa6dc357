import { InfrastructureFault } from '@countersign/contracts';

/** The database refused a statement (constraint, data, syntax): an error of the statement, not of the infrastructure. */
export class SqlError extends Error {
  constructor(
    message: string,
    /** Five characters, PostgreSQL appendix A. */
    readonly sqlstate: string,
  ) {
    super(message);
  }
}

/** The database could not execute the statement now: retried for ever, except by callers that know the meaning of its SQLSTATE. */
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

/**
 * Transient classes of SQLSTATE: connection, transaction state, rollback, resources, object state, operator intervention, system,
 * internal.
 */
const SURROUNDINGS = new Set(['08', '25', '40', '53', '55', '57', '58', 'XX']);

/** A database error as InfrastructureFault (retried for ever) or SqlError (of this statement), by its SQLSTATE. */
export function sqlFault(sqlstate: string | undefined, message: string, cause?: unknown): Error {
  if (sqlstate === undefined || SURROUNDINGS.has(sqlstate.slice(0, 2))) {
    return new DatabaseNotAble(message, sqlstate, cause);
  }
  return new SqlError(message, sqlstate);
}
