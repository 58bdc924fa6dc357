import type { Statement } from '../store.js';

/** One name, one text: a statement prepared under a name would otherwise answer for another text in silence. */
export class StatementNames {
  readonly #texts = new Map<string, string>();

  /** @throws TypeError where a name was used for another text before. */
  check(statements: readonly Statement[]): void {
    for (const { name, text } of statements) {
      if (name === undefined) continue;
      const known = this.#texts.get(name);
      if (known === undefined) this.#texts.set(name, text);
      else if (known !== text) throw new TypeError(`the statement name ${name} is already used for another text`);
    }
  }
}
