import { asNewRows, type Statement, type Store, UNIQUE_VIOLATION } from '@countersign/store';

/** Writes without the assumption after one that failed by it: repeated records stand close to each other. */
const CAREFUL_WRITES = 20;

/** Writes rows that a fold declares as new without looking for them; a repeated record on the log is the exception. */
export class OptimisticWrites {
  private careful = 0;

  constructor(private readonly store: Pick<Store, 'atomically'>) {}

  /** One transaction. @throws InfrastructureFault, or the error of a statement */
  async write(statements: readonly Statement[]): Promise<void> {
    if (this.careful === 0) {
      try {
        await this.store.atomically(statements.map(asNewRows), 'background');
        return;
      } catch (cause) {
        const known = (cause as { sqlstate?: string }).sqlstate === UNIQUE_VIOLATION;
        if (!known && !(cause instanceof TypeError)) throw cause;
        this.careful = CAREFUL_WRITES;
      }
    }
    this.careful--;
    await this.store.atomically(statements, 'background');
  }
}
