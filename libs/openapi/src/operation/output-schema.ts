import type { JsonSchema } from '@countersign/contracts';
import type { PagesBinding } from '../binding.js';
import type { OpenApiDocument } from '../document.js';
import { fittedSchema } from '../schema/fit.js';
import type { Responses } from './responses.js';

const OUTPUT_CHARS_MAX = 64 * 1024;
/** Anything: what a body may be where the document does not say, or says too much. */
const ANYTHING: { schema: unknown } = { schema: {} };

/** The schema of what an operation returns: its status, and its body with at most so many characters. */
export function outputSchema(
  document: OpenApiDocument,
  { schema, may_lack_body }: Responses,
  { chars_max, is_open, is_checked, pages }: { chars_max: number; is_open: boolean; is_checked: boolean; pages: PagesBinding | undefined },
): { schema: JsonSchema; cut_below: number | undefined } {
  const declared = schema !== undefined && !is_open;
  const source = declared ? schema : ANYTHING.schema;
  const fitted = fittedSchema(document, source, { direction: 'output', chars_max: Math.min(OUTPUT_CHARS_MAX, chars_max), is_checked });
  const properties = {
    status: { type: 'integer' },
    body: fitted.schema,
    attachment: { type: 'string' },
    ...(pages === undefined ? {} : { next_page: NEXT_PAGE }),
  };
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: declared && !may_lack_body ? ['status', 'body'] : ['status'],
      properties,
      ...(Object.keys(fitted.defs).length > 0 ? { $defs: fitted.defs } : {}),
    },
    cut_below: declared ? fitted.cut_below : undefined,
  };
}

const NEXT_PAGE = {
  type: 'object',
  additionalProperties: false,
  required: ['input', 'value'],
  properties: { input: { type: 'string' }, value: { type: ['string', 'integer', 'number'] } },
};
