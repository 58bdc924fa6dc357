import type { Refusal } from '@countersign/calls';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { issuesProblem } from '../requests/body-issues.js';

/** Makes a refusal of the issues that a schema found in a value. */
export type Refuse = (issues: readonly z.core.$ZodIssue[], value: unknown) => Refusal;

const ownRefusals = new WeakMap<z.ZodType, Refuse>();

/** Attaches a custom refusal to a schema. */
export function refusedBy<S extends z.ZodType>(schema: S, refuse: Refuse): S {
  ownRefusals.set(schema, refuse);
  return schema;
}

/**
 * Validates bodies, queries and path parameters with the zod schema of their decorator. Nest's StandardSchemaValidationPipe is not used:
 * it silently drops members named `constructor` and `prototype`, and a fact table may have such rows. json-bodies.ts refuses dangerous
 * ones.
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
