import type { Effort } from './effort.js';

export interface ChainOptions {
  /** Characters that end a command, as the content of a character class. */
  breaks: string;
  /** Maximum number of characters between two steps. */
  gap: number;
}

/**
 * Finds words that follow each other within one command, with at most `gap` characters between them. Linear time: each command is scanned
 * once, from its first word to its end.
 */
export class CommandChain {
  private readonly end: RegExp;
  private readonly first: RegExp;
  private readonly steps: RegExp;

  constructor(
    private readonly options: ChainOptions,
    private readonly sources: readonly string[],
  ) {
    this.end = new RegExp(`[${options.breaks}]`, 'g');
    this.first = new RegExp(sources[0] ?? '', 'g');
    this.steps = new RegExp(sources.map((source) => `(${source})`).join('|'), 'g');
  }

  /** True if the text contains the chain; false also if the effort is used up. */
  found(text: string, effort: Effort): boolean {
    this.first.lastIndex = 0;
    for (let start = this.first.exec(text); start && effort.word(); start = this.first.exec(text)) {
      this.end.lastIndex = start.index + 1;
      const end = this.end.exec(text)?.index ?? text.length;
      if (this.walk(text.slice(start.index, end), effort)) return true;
      this.first.lastIndex = Math.max(end, start.index + 1);
    }
    return false;
  }

  private walk(command: string, effort: Effort): boolean {
    const reached = this.sources.map(() => Number.NEGATIVE_INFINITY);
    this.steps.lastIndex = 0;
    for (let match = this.steps.exec(command); match && effort.word(); match = this.steps.exec(command)) {
      const step = match.findIndex((group, i) => i > 0 && group !== undefined) - 1;
      const end = match.index + match[0].length;
      if (step > 0 && match.index - (reached[step - 1] as number) > this.options.gap) continue;
      reached[step] = end;
      if (step === reached.length - 1) return true;
      if (match[0] === '') this.steps.lastIndex++;
    }
    return false;
  }
}
