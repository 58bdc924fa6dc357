import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { issuesProblem } from '../requests/body-issues.js';

/** Checks bodies, queries and path parameters by the zod schema of their decorator: what does not fit is a problem with its issues. */
export const validationPipe = (): StandardSchemaValidationPipe =>
  new StandardSchemaValidationPipe({ exceptionFactory: (issues) => issuesProblem(issues as readonly z.core.$ZodIssue[]) });
