import { type Issue, pointer, Refusal } from '@countersign/calls';
import type { z } from 'zod';

const ISSUES_MAX = 50;

/** A problem with all faults of a body: each with its JSON Pointer, unknown fields one by one. */
export const bodyProblem = (error: z.ZodError, under: readonly PropertyKey[] = []): Refusal => issuesProblem(error.issues, under);

/** Converts zod issues to a problem; `custom` issues may set their code and pointer in `params`. */
export function issuesProblem(found: readonly z.core.$ZodIssue[], under: readonly PropertyKey[] = []): Refusal {
  const issues: Issue[] = found.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: pointer([...under, ...issue.path, key]),
          code: 'unknown_field',
          message: issue.message.startsWith('Unrecognized key') ? 'the field does not exist' : issue.message,
        }))
      : [ownIssue(issue, pointer([...under, ...issue.path]))],
  );
  const first = issues[0];
  return new Refusal('invalid-request', first ? `${first.path || 'the body'}: ${first.message}` : 'the body is not valid', {
    issues: issues.slice(0, ISSUES_MAX),
  });
}

function ownIssue(issue: z.core.$ZodIssue, path: string): Issue {
  const { code, message } = issue;
  if (code !== 'custom') return { path, code, message };
  const { code: named = code, path: at = path } = (issue.params ?? {}) as Partial<Issue>;
  return { path: at, code: named, message };
}

/** Parses a body with this schema, or returns its faults. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T | Refusal {
  const parsed = schema.safeParse(body);
  return parsed.success ? parsed.data : bodyProblem(parsed.error);
}
