import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { issuesProblem } from '../requests/body-issues.js';

/** Checks bodies, queries and path parameters by the zod schema of their decorator: what does not fit is a problem with its issues. */
class SchemaPipe extends StandardSchemaValidationPipe {
  /** Nest would drop members named `prototype` and `constructor`, which inputs of tools may have. What is dangerous json-bodies.ts refuses. */
  protected override stripProtoKeys(): void {}
}

export const validationPipe = (): StandardSchemaValidationPipe =>
  new SchemaPipe({ exceptionFactory: (issues) => issuesProblem(issues as readonly z.core.$ZodIssue[]) });
