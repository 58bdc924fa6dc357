import { type ArgumentMetadata, StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { issuesProblem } from '../requests/body-issues.js';

/** Checks bodies, queries and path parameters by the zod schema of their decorator: what does not fit is a problem with its issues. */
export class ValidationPipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const { schema, data } = metadata;
    if (!schema || !this.toValidate(metadata)) return value;
    const result = await this.validate(value, schema);
    if (result.issues) throw issuesProblem(result.issues as readonly z.core.$ZodIssue[], data === undefined ? [] : [data]);
    return result.value as T;
  }
}
