import type { Statement } from '../store.js';

/** Each name has one text: PostgreSQL would otherwise silently run the old text of a prepared statement. */
export class StatementNames {
  readonly #texts = new Map<string, string>();

  /** @throws TypeError if a name was used for another text before. */
  check(statements: readonly Statement[]): void {
    for (const { name, text } of statements) {
      if (name === undefined) continue;
      const known = this.#texts.get(name);
      if (known === undefined) this.#texts.set(name, text);
      else if (known !== text) throw new TypeError(`the statement name ${name} is already used for another text`);
    }
  }
}
