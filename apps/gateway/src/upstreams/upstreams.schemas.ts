import { overlayCompensation, overlayReconcile, toolOverlay } from '@countersign/definitions';
import { z } from 'zod';
import { everywhere, principalAnswer, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems, pageQuery } from '../lists/page-query.js';

const effectClass = z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']);
const CLASSIFIED_AT_ONCE = 200;

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'a digest');

const credential = z.strictObject({
  secret: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/, 'the name of a secret')
    .describe('the value is that of the user, else of the workspace, else of the installation; listings use no value of a user'),
  env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of an environment variable')
    .nullable()
    .default(null)
    .describe('the variable of the command that has the value; null: it is sent to the address as a bearer token'),
});

/** Body of `PUT /v1/upstreams/{name}`: an address, or a command of the installation. */
export const upstreamRequest = z
  .strictObject({
    url: z.string().min(1).max(2000).optional().describe('address of an MCP server (Streamable HTTP)'),
    command: z.string().min(1).max(64).optional().describe('name of a command of the installation'),
    credentials: z.array(credential).max(10).default([]),
    timeout_ms: z.int().min(1_000).max(300_000).default(30_000).describe('limit of one request to it'),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), 'has either url or command')
  .meta({ id: 'UpstreamRequest' });

const settings = {
  name: z.string(),
  revision: z.int().min(1).describe('grows with each change'),
  url: z.string().nullable(),
  command: z.string().nullable(),
  credentials: z.array(z.object({ secret: z.string(), env: z.string().nullable() })),
  timeout_ms: z.int(),
  changed_by: principalAnswer,
  changed_at: timeOf,
};

const state = z
  .enum(['active', 'unclassified', 'pending_change', 'suspended', 'gone'])
  .describe(
    '`unclassified`: it runs as commit_high; `pending_change`: it runs as pinned, and its upstream now says something else; `suspended` and `gone`: it does not run',
  );

const toolName = z.string().min(1).max(200);

/** Query of `GET /v1/upstreams/{name}/tools`. */
export const upstreamToolQuery = pageQuery.extend({
  tool: toolName.optional().describe('only the tool of this exact name'),
  state: state.optional(),
});

const toolSummary = {
  tool: z.string().describe('the exact name at the upstream'),
  name: z.string().nullable().describe('the name for callers; null: it has none, because the names of two tools are the same'),
  version: z.string(),
  state,
  why: z.string().nullable().describe('why it is not active'),
  is_classified: z.boolean(),
  effect_class: effectClass,
  alias: z.string().nullable().describe('its second name; null: it has none'),
  flags: z.array(z.string()).describe('patterns of injection in the texts of the pinned and of the listed definition'),
  digest: z.string().nullable().describe('of the pinned definition'),
  listed_digest: z
    .string()
    .nullable()
    .describe('of the definition that the upstream lists now, if it is another; null: it is the pinned one'),
};

const definition = z
  .object({
    digest: z.string(),
    title: z.string(),
    description: z.string(),
    input_schema: z.record(z.string(), z.unknown()),
    output_schema: z.record(z.string(), z.unknown()),
    annotations: z.record(z.string(), z.unknown()).describe('claims of the server, unverified'),
    flags: z.array(z.string()),
  })
  .meta({ id: 'UpstreamDefinition' });

const overlay = toolOverlay.extend({
  key_input: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('the input that the platform sets to the key of the attempt; callers do not see it'),
  alias: z
    .strictObject({
      ttl_ms: z
        .int()
        .min(1_000)
        .max(24 * 3_600_000)
        .describe('how old a cached result may be'),
    })
    .optional()
    .describe('only of a read-only tool: its second name `mcp_<upstream>_<tool>`, whose calls a cached result may answer'),
  refused_digest: digest
    .optional()
    .describe(
      'of the listed definition, if you refuse it: the tool is active as pinned until its upstream describes it in yet another way',
    ),
});

/** A tool of an upstream, with what the upstream says of it and what the operator declared. */
export const upstreamTool = z
  .object({
    ...toolSummary,
    etag: z.string().describe('of this tool: each classification, each other definition and each change of its state gives another one'),
    pinned: definition.nullable().describe('what agents see; null: it is no longer kept'),
    listed: definition.nullable().describe('what the upstream says now; null: the same'),
    differences: z
      .array(z.object({ pointer: z.string(), allowed: z.enum(['same', 'wider']), message: z.string() }))
      .describe('how the listed schemas refuse what the pinned ones took'),
    overlay: z.record(z.string(), z.unknown()).describe('what the operator declared'),
    suggestion: z.object({ effect_class: effectClass }).describe('from the hints of the server: they may be wrong'),
  })
  .meta({ id: 'UpstreamTool' });

export const upstreamToolPage = pageOfItems(upstreamTool).meta({ id: 'UpstreamToolPage' });

const health = z
  .object({
    state: z.enum(['not_listed', 'healthy', 'unhealthy']),
    fault: z.string().nullable(),
    reason: z.string().nullable(),
    since: timeOf.nullable(),
    listed_at: timeOf.nullable().describe('the newest complete listing that said something new'),
  })
  .meta({ id: 'UpstreamHealth' });

const count = z.int().min(0);
const inState = z
  .object({ active: count, unclassified: count, pending_change: count, suspended: count, gone: count })
  .describe('number of tools by their state');

/** Item of the list of upstreams. */
const listedUpstream = z
  .object({ ...settings, health, tools: z.int().describe('number of tools'), tools_in_state: inState, etag: z.string() })
  .meta({ id: 'UpstreamListed' });
export const upstreamPage = pageOfItems(listedUpstream).meta({ id: 'UpstreamPage' });

/** An upstream with its tools. */
export const upstreamAnswer = z
  .object({
    ...settings,
    health,
    server: z.string().nullable().describe('name and version that the server states'),
    protocol_version: z.string().nullable(),
    tools: z.array(z.object(toolSummary).meta({ id: 'UpstreamToolSummary' })),
    refused: z.array(z.object({ tool: z.string(), reason: z.string() })).describe('tools that exist there and are not offered'),
  })
  .meta({ id: 'Upstream' });

/** Programs of the installation that an upstream may name. */
export const upstreamCommandPage = pageOfItems(z.object({ name: z.string() }).meta({ id: 'UpstreamCommand' })).meta({
  id: 'UpstreamCommandPage',
});

export const setUpstream = z.object({ ...settings, ...everywhere }).meta({ id: 'SetUpstream' });

const upstreamRevision = z
  .object({ ...settings, removed: z.boolean() })
  .omit({ name: true })
  .meta({ id: 'UpstreamRevision' });
export const upstreamRevisionPage = pageOfItems(upstreamRevision).meta({ id: 'UpstreamRevisionPage' });

/** What an operator declares of one tool, and the digest of the definition that it is about. */
const classification = overlay
  .extend({
    tool: toolName.describe('the exact name at the upstream'),
    digest: digest.describe('of the definition that you looked at: it becomes the pinned one'),
    etag: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('of the tool that you looked at: 412 if it has changed since. Without it, a classification that came since is replaced'),
    reconcile: overlayReconcile.optional(),
    compensation: overlayCompensation.optional(),
  })
  .meta({ id: 'UpstreamClassification' });

/** Body of `POST /v1/upstreams/{name}/classifications`. */
export const classificationRequest = z
  .strictObject({ tools: z.array(classification).min(1).max(CLASSIFIED_AT_ONCE) })
  .meta({ id: 'UpstreamClassifications' });

export const classificationAnswer = z
  .object({
    items: z.array(
      z.object({
        tool: z.string(),
        name: z.string().nullable(),
        version: z.string().nullable().describe('null: it was not classified'),
        state: state.nullable(),
        problem: z.string().nullable().describe('why it was not classified, while others were: somebody changed it at the same time'),
      }),
    ),
    ...everywhere,
  })
  .meta({ id: 'UpstreamClassified' });

export type UpstreamToolQuery = z.infer<typeof upstreamToolQuery>;
export type UpstreamRequest = z.infer<typeof upstreamRequest>;
export type Classification = z.infer<typeof classification>;
export type ClassificationRequest = z.infer<typeof classificationRequest>;
export type ClassificationAnswer = z.infer<typeof classificationAnswer>;
export type UpstreamAnswer = z.infer<typeof upstreamAnswer>;
export type UpstreamListed = z.infer<typeof listedUpstream>;
export type UpstreamRevisionAnswer = z.infer<typeof upstreamRevision>;
export type UpstreamToolAnswer = z.infer<typeof upstreamTool>;
export type SetUpstreamAnswer = z.infer<typeof setUpstream>;
