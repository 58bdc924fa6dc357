import { overlap } from './code-points.js';
import { components } from './components.js';
import { type Automaton, automatonOf, type Budget } from './regex-automaton.js';
import { parseRegex, type Regex } from './regex-syntax.js';

const PATTERN_MAX = 2_000;
/** With more choices than this, any ambiguity is refused. */
const CHOICES_MAX = 12;

/**
 * Why a backtracking engine could take more than linear time for an expression on some text, or null. Exact for loops (ambiguous automata:
 * exponential, or polynomial if two loops share a word). Counts above 8 are treated as loops, and with more than 12 choices every ambiguity
 * is refused, so a few harmless expressions are refused too. Cheap: expressions too large to analyse are refused.
 */
export function regexHazard(pattern: string, budget: Budget = { left: 30_000 }): string | null {
  if (budget.left <= 0) return 'the expressions of this schema are too many or too complex to check';
  if (pattern.length > PATTERN_MAX) return `it has more than ${PATTERN_MAX} characters`;
  budget.left -= 50 + pattern.length;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return 'it is not a valid regular expression (with the u flag)';
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
  const many = choices(regex) > CHOICES_MAX;
  const automaton = automatonOf(regex, budget, many);
  const loop = components(automaton.sets.length, (node) => (automaton.follow[node] as Map<number, number>).keys());
  return new Ambiguity(automaton, loop, budget).found();
}

function* lookarounds(regex: Regex): Generator<Regex> {
  if (regex.kind === 'look') yield regex.body;
  const inner =
    'parts' in regex ? regex.parts : 'options' in regex ? regex.options : 'body' in regex && regex.kind === 'repeat' ? [regex.body] : [];
  for (const part of inner) yield* lookarounds(part);
}

/** Maximum number of binary choices in a match, without loops: 12 choices are 4,096 paths. */
function choices(regex: Regex): number {
  if (regex.kind === 'sequence') return regex.parts.reduce((sum, part) => sum + choices(part), 0);
  if (regex.kind === 'either') return Math.log2(regex.options.length) + regex.options.reduce((sum, option) => sum + choices(option), 0);
  if (regex.kind !== 'repeat') return 0;
  const inside = choices(regex.body);
  return Number.isFinite(regex.max) ? regex.max * inside + regex.max - regex.min : inside;
}

/** Searches an automaton for texts that it can match in more than one way. */
class Ambiguity {
  private readonly members = new Map<number, number[]>();
  /** 0: unknown, 1: the sets overlap, 2: they are disjoint. */
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
    for (const places of loops) if (this.isExponential(places)) return 'the same text can be read in too many ways: exponential time';
    for (const first of loops) {
      for (const second of loops) {
        if (first !== second && this.isPolynomial(first, second))
          return 'two loops can share the same text: time grows with its square or worse (an ^ at the start may fix it)';
      }
    }
    return null;
  }

  private edges(place: number): Map<number, number> {
    return this.automaton.follow[place] as Map<number, number>;
  }

  private meet(...places: number[]): boolean {
    if (--this.budget.left < 0) throw new SyntaxError('it is too complex to check');
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

  /** True if a loop can match one text in two ways: a double edge inside it, or two different paths that part and meet again. */
  private isExponential(places: readonly number[]): boolean {
    const inside = new Set(places);
    for (const place of places) for (const [next, ways] of this.edges(place)) if (ways > 1 && inside.has(next)) return true;
    // Search pairs of positions that part and meet again: two matches of the same text.
    const seen = new Set<number>();
    const waiting = places.map((place): [number, number] => [place, place]);
    for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
      const apart = pair[0] !== pair[1];
      for (const p of this.edges(pair[0]).keys()) {
        if (!inside.has(p)) continue;
        for (const q of this.edges(pair[1]).keys()) {
          if (!inside.has(q) || (p === q && !apart) || !this.meet(p, q)) continue;
          if (p === q) return true;
          const key = p * this.automaton.sets.length + q;
          if (!seen.has(key)) waiting.push([p, q]);
          seen.add(key);
        }
      }
    }
    return false;
  }

  /** True if one text matches the first loop, the second loop, and a path from the first to the second. */
  private isPolynomial(first: readonly number[], second: readonly number[]): boolean {
    const [from, to] = [new Set(first), new Set(second)];
    for (const p of first) {
      for (const q of second) {
        // The match ends here at the latest: nothing after it can fail and cause backtracking.
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
