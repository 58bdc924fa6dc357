import type { Logger } from '@countersign/process';
import { StandardSchemaSerializerInterceptor } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { z } from 'zod';
import { JsonText } from './json-text.js';

/** JSON Pointers of the members that `sent` lacks. A schema drops undeclared members silently. */
function dropped(made: unknown, sent: unknown, at = ''): string[] {
  if (typeof made !== 'object' || made === null) return [];
  return Object.entries(made).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const kept = (sent as Record<string, unknown>)[name];
    return kept === undefined ? [`${at}/${name}`] : dropped(value, kept, `${at}/${name}`);
  });
}

/**
 * Checks a response against the `@Answer()` schema of its route and sends it unchanged, because a proof without one of its members proves
 * nothing. A response that does not match, or has an undeclared member, is an internal error: it is logged and still sent; in `strict`
 * mode (tests) it fails the request. Serialized JSON is checked only in strict mode.
 */
export class AnswerInterceptor extends StandardSchemaSerializerInterceptor {
  constructor(
    reflector: Reflector,
    private readonly logger: Pick<Logger, 'error'>,
    private readonly is_strict: boolean,
  ) {
    super(reflector);
  }

  override async transformToPlain(made: object, schema: z.ZodType): Promise<object> {
    if (made instanceof JsonText) return this.is_strict ? this.checked(made, schema) : made;
    const result = schema.safeParse(made);
    const faults = result.success
      ? dropped(made, result.data).map((path) => `${path}: is not declared`)
      : result.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
    if (faults.length === 0) return made;
    if (this.is_strict) throw new Error(`the response does not match the declared schema of its route: ${faults.join('; ')}`);
    this.logger.error(
      { event: 'response_schema_mismatch', schema: schema.meta()?.id, faults: faults.slice(0, 10) },
      'a response does not match its schema',
    );
    return made;
  }

  private async checked(made: JsonText, schema: z.ZodType): Promise<JsonText> {
    await this.transformToPlain(made.parsed() as object, schema);
    return made;
  }
}
