import { type CodePoints, everything } from './code-points.js';
import type { Regex } from './regex-syntax.js';

/** The positions of an expression's sets, with the number of ways from one to the next: more than one way is ambiguous. */
export interface Automaton {
  sets: CodePoints[];
  follow: Map<number, number>[];
  /** Positions where a match may end without a further condition. */
  finals: Set<number>;
}

/** The remaining cost budget for analysing one or many expressions. */
export interface Budget {
  left: number;
}

interface Fragment {
  nullable: boolean;
  first: number[];
  last: number[];
  /** Nothing can match before (`starts`) or after (`ends`) it. */
  starts: boolean;
  ends: boolean;
}

const COPIES_MAX = 8;
const FIXED_COPIES_MAX = 64;
const PLACES_MAX = 400;

/** Represents the end of the text; no text contains it. */
const beyond: CodePoints = [[0x110000, 0x110000]];

/**
 * The automaton of an expression (Glushkov's construction, with multiplicities). Large counts become loops, which can only make the result
 * stricter. With `strictly`, all counts with a choice become loops, and the whole becomes one loop over texts, so that every ambiguity is
 * inside a loop.
 * @throws SyntaxError if it is too large.
 */
export function automatonOf(regex: Regex, budget: Budget, strictly: boolean): Automaton {
  const builder = new Builder(budget, strictly);
  const whole = builder.build(regex);
  const { sets, follow } = builder;
  const finals = new Set(whole.ends ? [] : whole.last);
  const first = [...whole.first];
  if (!whole.starts) {
    // Without an anchor the engine tries every position of the text: a loop over all characters before.
    const before = builder.place(everything);
    builder.join([before], [before, ...whole.first]);
    first.push(before);
  }
  if (strictly) {
    const end = builder.place(beyond);
    builder.join(whole.last, [end]);
    builder.join([end], first);
  }
  return { sets, follow, finals };
}

class Builder {
  readonly sets: CodePoints[] = [];
  readonly follow: Map<number, number>[] = [];

  constructor(
    private readonly budget: Budget,
    private readonly strictly: boolean,
  ) {}

  build(regex: Regex): Fragment {
    switch (regex.kind) {
      case 'set': {
        const place = this.place(regex.set);
        return { nullable: false, first: [place], last: [place], starts: false, ends: false };
      }
      case 'sequence':
        return this.sequence(regex.parts.map((part) => () => this.build(part)));
      case 'either':
        return either(regex.options.map((option) => this.build(option)));
      case 'repeat':
        return this.repeat(regex);
      default:
        return { nullable: true, first: [], last: [], starts: regex.kind === 'start', ends: regex.kind === 'end' };
    }
  }

  place(set: CodePoints): number {
    if (this.sets.length >= PLACES_MAX) throw new SyntaxError(`it has more than ${PLACES_MAX} places`);
    this.follow.push(new Map());
    return this.sets.push(set) - 1;
  }

  join(from: readonly number[], to: readonly number[]): void {
    this.budget.left -= from.length * to.length;
    if (this.budget.left < 0) throw new SyntaxError('it is too complex to check');
    for (const place of from) {
      const edges = this.follow[place] as Map<number, number>;
      for (const next of to) edges.set(next, (edges.get(next) ?? 0) + 1);
    }
  }

  private sequence(parts: readonly (() => Fragment)[]): Fragment {
    let whole: Fragment = { nullable: true, first: [], last: [], starts: false, ends: false };
    for (const make of parts) {
      const part = make();
      this.join(whole.last, part.first);
      whole = {
        nullable: whole.nullable && part.nullable,
        first: whole.nullable ? [...whole.first, ...part.first] : whole.first,
        last: part.nullable ? [...whole.last, ...part.last] : part.last,
        starts: whole.starts || (whole.first.length === 0 && part.starts),
        ends: part.ends || (whole.ends && part.nullable && part.last.length === 0),
      };
    }
    return whole;
  }

  private repeat({ body, min, max }: Extract<Regex, { kind: 'repeat' }>): Fragment {
    const copy = () => this.build(body);
    const optional = (): Fragment => ({ ...copy(), nullable: true, starts: false, ends: false });
    if (max === 0) return { nullable: true, first: [], last: [], starts: false, ends: false };
    const copies_max = body.kind === 'set' ? FIXED_COPIES_MAX : this.strictly ? 1 : COPIES_MAX;
    if (min === max && min <= copies_max) return this.sequence(Array.from({ length: min }, () => copy));
    if (max <= COPIES_MAX)
      return this.sequence([...Array.from({ length: min }, () => copy), ...Array.from({ length: max - min }, () => optional)]);
    const looped = (): Fragment => {
      const part = copy();
      this.join(part.last, part.first);
      return { ...part, nullable: min !== 1 || part.nullable, starts: false, ends: false };
    };
    return min > 1 ? this.sequence([copy, looped]) : looped();
  }
}

function either(options: readonly Fragment[]): Fragment {
  return {
    nullable: options.some((option) => option.nullable),
    first: options.flatMap((option) => option.first),
    last: options.flatMap((option) => option.last),
    starts: options.every((option) => option.starts),
    ends: options.every((option) => option.ends),
  };
}
