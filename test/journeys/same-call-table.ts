/** One call, or an event between two: `append(A, case=1)`. */
export interface Step {
  verb: string;
  /** The subject of the row; '' if none is given. */
  text: string;
  /** Sent along: request, case, run, seq, occurrence, key. */
  with: Readonly<Record<string, string>>;
}

export interface CaseRow {
  title: string;
  steps: readonly Step[];
  /** Expectations on the last response: a path of the envelope (`HTTP`: the status) and the text of its value. */
  answer: readonly (readonly [path: string, value: string])[];
  afterwards: readonly string[];
}

const spans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string);

function stepOf(text: string): Step {
  const [, verb, inner] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (verb === undefined || inner === undefined) throw new Error(`${text} is no call of the table`);
  const parts = inner.split(', ').filter((part) => part !== '');
  const named = parts.filter((part) => part.includes('=')).map((part) => part.split('=') as [string, string]);
  return { verb, text: parts.find((part) => !part.includes('=')) ?? '', with: Object.fromEntries(named) };
}

function pairOf(text: string): readonly [string, string] {
  const [path, value] = text.split(': ');
  if (path === undefined || value === undefined) throw new Error(`${text} names no field and value`);
  return [path, value];
}

/** The rows of the table after the marker `<!-- cases`. @throws Error if a row cannot be parsed */
export function caseRows(page: string): CaseRow[] {
  const lines = page.slice(page.indexOf('<!-- cases')).split('\n').slice(3);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => {
    const [title = '', calls = '', happens = '', answer = '', afterwards = ''] = line.slice(1, -1).split('|');
    const row = { title: title.trim(), steps: spans(calls).map(stepOf), answer: spans(answer).map(pairOf), afterwards: spans(afterwards) };
    if (happens.trim() === '' || row.steps.length < 2 || row.answer.length === 0 || row.afterwards.length !== 1)
      throw new Error(`the row cannot be run: ${line}`);
    return row;
  });
}
