const SPACE = new Set([' ', '\n', '\r', '\t']);

/** The span of the value at a path in a JSON text that is known to parse; undefined if the value is missing. */
export function jsonSpan(text: string, path: readonly string[]): { start: number; end: number } | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    const start = skipSpace(text, 0);
    return { start, end: valueEnd(text, start) };
  }
  let last: { start: number; end: number } | undefined;
  for (const child of children(text, skipSpace(text, 0))) {
    if (child.name !== step) continue;
    const inner = jsonSpan(text.slice(child.start, child.end), rest);
    // JSON.parse keeps the last of equal names, so that one is the value.
    last = inner && { start: child.start + inner.start, end: child.start + inner.end };
  }
  return last;
}

function* children(text: string, open: number): Generator<{ name: string; start: number; end: number }> {
  const isObject = text[open] === '{';
  if (!isObject && text[open] !== '[') return;
  let at = skipSpace(text, open + 1);
  for (let index = 0; text[at] !== '}' && text[at] !== ']'; index++) {
    let name = String(index);
    if (isObject) {
      const end = stringEnd(text, at);
      name = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = valueEnd(text, at);
    yield { name, start: at, end };
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    let at = start;
    while (at < text.length && !SPACE.has(text[at] as string) && !',}]'.includes(text[at] as string)) at++;
    return at;
  }
  let depth = 0;
  let at = start;
  do {
    if (text[at] === '"') at = stringEnd(text, at);
    else {
      if (text[at] === '{' || text[at] === '[') depth++;
      if (text[at] === '}' || text[at] === ']') depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, at: number): number {
  let here = at;
  while (SPACE.has(text[here] as string)) here++;
  return here;
}
