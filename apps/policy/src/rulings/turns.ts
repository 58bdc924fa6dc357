/** Maximum of input characters decided in one turn, if there are several calls: a few milliseconds at worst. */
export const TURN_CHARS_MAX = 200_000;

/** Splits the items in order into turns by size, with at least one item each. The usual case copies nothing. */
export function turnsOf<T>(items: readonly T[], charsOf: (item: T) => number): readonly (readonly T[])[] {
  const turns: (readonly T[])[] = [];
  let from = 0;
  let chars = 0;
  for (const [at, item] of items.entries()) {
    const more = charsOf(item);
    if (at > from && chars + more > TURN_CHARS_MAX) {
      turns.push(items.slice(from, at));
      from = at;
      chars = 0;
    }
    chars += more;
  }
  turns.push(from === 0 ? items : items.slice(from));
  return turns;
}
