import type { Refusal } from '@countersign/calls';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { issuesProblem } from '../requests/body-issues.js';

/** What is wrong with a value that a schema does not take. */
export type Refuse = (issues: readonly z.core.$ZodIssue[], value: unknown) => Refusal;

const ownRefusals = new WeakMap<z.ZodType, Refuse>();

/** A schema whose faults are refused in a way of their own. */
export function refusedBy<S extends z.ZodType>(schema: S, refuse: Refuse): S {
  ownRefusals.set(schema, refuse);
  return schema;
}

/**
 * Checks bodies, queries and path parameters by the zod schema of their decorator: what does not fit is a problem with its
 * issues. Nest's StandardSchemaValidationPipe is not used: it drops members named `constructor` and `prototype` without a
 * word, and a table of facts may have such rows. json-bodies.ts refuses those that are dangerous.
 */
export class ValidationPipe implements PipeTransform {
  /** @throws {Refusal} */
  transform(value: unknown, { schema, data }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const { issues } = parsed.error;
    throw ownRefusals.get(schema)?.(issues, value) ?? issuesProblem(issues, data === undefined ? [] : [data]);
  }
}
