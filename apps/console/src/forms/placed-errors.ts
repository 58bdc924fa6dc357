import type { Problem } from '../gateway/answer.js';
import { issueWords } from './issue-words.js';

/** The errors of a form: those of its fields by JSON Pointer, and what belongs to no field. */
export interface PlacedErrors {
  at: Readonly<Record<string, string>>;
  rest: Problem | undefined;
}

/** The longest of the fields that is the place of an issue or above it: `/principal/roles` for `/principal/roles/0`. */
function fieldOf(path: string, fields: readonly string[]): string | undefined {
  const above = fields.filter((field) => path === field || path.startsWith(`${field}/`));
  return above.sort((a, b) => b.length - a.length)[0];
}

/** Places the issues of a problem at the fields of a form, which are named by JSON Pointer. */
export function placedErrors(problem: Problem | undefined, fields: readonly string[]): PlacedErrors {
  if (!problem) return { at: {}, rest: undefined };
  const at: Record<string, string> = {};
  const others: NonNullable<Problem['validation']>['issues'] = [];
  for (const issue of problem.validation?.issues ?? []) {
    const field = fieldOf(issue.path, fields);
    if (field === undefined) others.push(issue);
    else at[field] ??= issueWords(issue.message);
  }
  if (Object.keys(at).length > 0 && others.length === 0) return { at, rest: undefined };
  const { validation, ...named } = problem;
  return { at, rest: validation && others.length > 0 ? { ...named, validation: { ...validation, issues: others } } : named };
}
