import { overlayCompensation, overlayReconcile, toolOverlay } from '@countersign/definitions';
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const names = (count: number, length: number) => z.array(text(length)).max(count);
const OPERATION = 'an operation of the same document: its operationId, or `GET /charges`';

/** What an operator declares about one operation, beside what the document says. */
export const operationOverlay = toolOverlay
  .partial({ effect_class: true })
  .extend({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,45}$/)
      .optional()
      .describe('the part of the name of the tool after `<import>__`'),
    title: text(200).optional(),
    description: text(4000).optional().describe('instead of that of the document'),
    idempotency_header: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
      .optional()
      .describe('gets the key of the attempt, and the server honours it: a write whose answer was lost is sent again'),
    output: z
      .enum(['document', 'anything'])
      .default('document')
      .describe('`anything`: the server answers otherwise than its document says'),
    follow_pages: z.int().min(1).max(20).default(1).describe('pages of a read that one call follows'),
    reconcile: overlayReconcile
      .extend({
        tool: text(300).describe(OPERATION),
        items: z
          .string()
          .regex(/^(\/[^/]*)+$/)
          .max(200)
          .optional()
          .describe(
            'JSON Pointer in the output of the read to a list: `matches` then reads each item as `output`. Absent: the whole output',
          ),
      })
      .optional(),
    compensation: overlayCompensation.extend({ tool: text(300).describe(OPERATION) }).optional(),
  })
  .meta({ id: 'OperationOverlay' });

const auth = z
  .strictObject({
    as: z.enum(['bearer', 'basic', 'header', 'query', 'cookie']),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,64}$/)
      .optional()
      .describe('of the header, the query parameter or the cookie'),
    secret: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .default('credential'),
  })
  .refine(({ as, name }) => (name === undefined) === (as === 'bearer' || as === 'basic'), {
    path: ['name'],
    message: 'is needed for a header, a query parameter and a cookie, and only for them',
  });

/** How a document becomes tools. */
export const importOptions = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/)
    .describe('begins the names of the tools and of the secrets: `stripe` makes `stripe__post_charges`'),
  base_url: text(2000).optional().describe('instead of the servers of the document'),
  server_variables: z.record(z.string().max(100), z.string().max(200)).optional().describe('values of the variables of the server address'),
  security_scheme: text(100).optional().describe('the security scheme of the document to use, where it offers several'),
  auth: auth.optional().describe('instead of the security schemes of the document: one credential for all operations'),
  only: names(1000, 300).optional().describe('which operations: operationIds, `GET /charges`, or `tag:Charges`; absent: all'),
  operations: z
    .record(z.string().max(300), operationOverlay)
    .optional()
    .describe('operationId or `POST /charges` → what the operator declares about it'),
});

export type ImportOptions = z.output<typeof importOptions>;
export type OperationOverlay = z.output<typeof operationOverlay>;
