import { overlap } from './code-points.js';
import { components } from './components.js';
import { type Automaton, automatonOf, type Budget } from './regex-automaton.js';
import { parseRegex, type Regex } from './regex-syntax.js';

const PATTERN_MAX = 2_000;
const OPTIONAL_MAX = 10;

/**
 * Why an expression could take a backtracking engine more than linear time on some text, or null. Exact for loops (ambiguous
 * automata: exponential, or polynomial where two loops share a word); counts above 8 are taken as loops, so a few harmless
 * expressions are refused too. Cheap: what is too large to analyse is refused.
 */
export function regexHazard(pattern: string, budget: Budget = { left: 40_000 }): string | null {
  if (budget.left <= 0) return 'the expressions of this schema are too many or too complicated to be judged';
  if (pattern.length > PATTERN_MAX) return `it has more than ${PATTERN_MAX} characters`;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'it is no regular expression (with the u flag)';
  }
  try {
    return hazardOf(parseRegex(pattern), budget);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

function hazardOf(regex: Regex, budget: Budget): string | null {
  for (const body of lookarounds(regex)) {
    const inside = hazardOf({ kind: 'sequence', parts: [{ kind: 'start' }, body] }, budget);
    if (inside) return inside;
  }
  if (optionals(regex) > OPTIONAL_MAX) return `more than ${OPTIONAL_MAX} optional parts can match the same text`;
  const automaton = automatonOf(regex, budget);
  const loop = components(automaton.sets.length, (node) => (automaton.follow[node] as Map<number, number>).keys());
  return new Ambiguity(automaton, loop, budget).found();
}

function* lookarounds(regex: Regex): Generator<Regex> {
  if (regex.kind === 'look') yield regex.body;
  const inner =
    'parts' in regex ? regex.parts : 'options' in regex ? regex.options : 'body' in regex && regex.kind === 'repeat' ? [regex.body] : [];
  for (const part of inner) yield* lookarounds(part);
}

/** How many optional parts stand in a row: each of them doubles what there is to try. */
function optionals(regex: Regex): number {
  if (regex.kind === 'sequence') {
    const inside = regex.parts.map(optionals);
    let run = 0;
    let longest = 0;
    for (const part of regex.parts) {
      run = isOptional(part) ? run + (part.kind === 'repeat' && part.max < 100 ? part.max : 1) : 0;
      longest = Math.max(longest, run);
    }
    return Math.max(longest, ...inside);
  }
  if (regex.kind === 'either') return Math.max(0, ...regex.options.map(optionals));
  if (regex.kind !== 'repeat') return 0;
  const inside = optionals(regex.body);
  const counted = regex.max > 1 && Number.isFinite(regex.max) && isNullable(regex.body) ? regex.max : 0;
  return Math.max(inside, counted);
}

/** Optional once: what repeats is a loop, and loops are judged exactly. */
function isOptional(regex: Regex): boolean {
  return regex.kind === 'repeat' && regex.min === 0 && regex.max === 1;
}

function isNullable(regex: Regex): boolean {
  if (regex.kind === 'set') return false;
  if (regex.kind === 'sequence') return regex.parts.every(isNullable);
  if (regex.kind === 'either') return regex.options.some(isNullable);
  return regex.kind !== 'repeat' || regex.min === 0 || isNullable(regex.body);
}

/** Searches an automaton for texts that it can read in more than one way. */
class Ambiguity {
  private readonly members = new Map<number, number[]>();
  /** 0 not looked at, 1 they overlap, 2 they do not. */
  private readonly met: Uint8Array;

  constructor(
    private readonly automaton: Automaton,
    loop: readonly number[],
    private readonly budget: Budget,
  ) {
    this.met = new Uint8Array(automaton.sets.length ** 2);
    for (const [place, component] of loop.entries()) {
      this.members.set(component, [...(this.members.get(component) ?? []), place]);
    }
  }

  found(): string | null {
    const loops = [...this.members.values()].filter(
      (places) => places.length > 1 || this.edges(places[0] as number).has(places[0] as number),
    );
    for (const places of loops)
      if (this.isExponential(places)) return 'a loop can read the same text in more than one way: exponential time';
    for (const first of loops) {
      for (const second of loops) {
        if (first !== second && this.isPolynomial(first, second))
          return 'two loops can share the same text: time grows with its square or worse (an ^ in front may mend it)';
      }
    }
    return null;
  }

  private edges(place: number): Map<number, number> {
    return this.automaton.follow[place] as Map<number, number>;
  }

  private meet(...places: number[]): boolean {
    if (--this.budget.left < 0) throw new SyntaxError('it is too complicated to be judged');
    for (let i = 0; i < places.length; i++) {
      for (let j = i + 1; j < places.length; j++) if (!this.overlaps(places[i] as number, places[j] as number)) return false;
    }
    return true;
  }

  private overlaps(a: number, b: number): boolean {
    const size = this.automaton.sets.length;
    const known = this.met[a * size + b];
    if (known !== 0) return known === 1;
    const met = overlap(this.automaton.sets[a] ?? [], this.automaton.sets[b] ?? []);
    this.met[a * size + b] = met ? 1 : 2;
    return met;
  }

  /** Two ways around a loop on one text: a double edge inside it, or a pair of different places between two meetings. */
  private isExponential(places: readonly number[]): boolean {
    const inside = new Set(places);
    const at = new Map(places.map((place, index) => [place, index]));
    for (const place of places) for (const [next, ways] of this.edges(place)) if (ways > 1 && inside.has(next)) return true;
    const size = places.length;
    const self = this;
    function* next(pair: number): Generator<number> {
      const [a, b] = [places[Math.floor(pair / size)] as number, places[pair % size] as number];
      for (const p of self.edges(a).keys()) {
        if (!inside.has(p)) continue;
        for (const q of self.edges(b).keys())
          if (inside.has(q) && self.meet(p, q)) yield (at.get(p) as number) * size + (at.get(q) as number);
      }
    }
    if (size * size > this.budget.left) throw new SyntaxError('it is too complicated to be judged');
    const component = components(size * size, next);
    const meetings = new Set(places.map((_place, index) => component[index * size + index]));
    return component.some((own, pair) => Math.floor(pair / size) !== pair % size && meetings.has(own));
  }

  /** A text that the first loop can read, the second can read, and that also leads from the first to the second. */
  private isPolynomial(first: readonly number[], second: readonly number[]): boolean {
    const [from, to] = [new Set(first), new Set(second)];
    for (const p of first) {
      for (const q of second) {
        // The match ends here at the latest: there is nothing left that could fail and be tried again.
        if (this.automaton.finals.has(q)) continue;
        if (this.leads(p, q, from, to)) return true;
      }
    }
    return false;
  }

  private leads(p: number, q: number, from: ReadonlySet<number>, to: ReadonlySet<number>): boolean {
    const seen = new Set<string>();
    const waiting: [number, number, number][] = [[p, p, q]];
    for (let state = waiting.pop(); state; state = waiting.pop()) {
      for (const a of this.edges(state[0]).keys()) {
        if (!from.has(a)) continue;
        for (const c of this.edges(state[2]).keys()) {
          if (!to.has(c) || !this.meet(a, c)) continue;
          for (const b of this.edges(state[1]).keys()) {
            if (!this.meet(a, b, c)) continue;
            if (a === p && b === q && c === q) return true;
            const key = `${a},${b},${c}`;
            if (!seen.has(key)) waiting.push([a, b, c]);
            seen.add(key);
          }
        }
      }
    }
    return false;
  }
}
