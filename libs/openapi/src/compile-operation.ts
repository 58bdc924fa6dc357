import type { ToolContract } from '@countersign/contracts';
import type { OperationBinding, ToolBinding } from './binding.js';
import { type OpenApiDocument, OperationFault } from './document.js';
import type { ImportOptions, OperationOverlay } from './import-options.js';
import { CONTRACT_BYTES_MAX, operationContract } from './operation/contract.js';
import { type Operation, operationNamed, overlayOf } from './operation/operations.js';
import { outputSchema } from './operation/output-schema.js';
import { pagesOf } from './operation/pagination.js';
import { type Parameter, parametersOf } from './operation/parameters.js';
import { type RequestBody, requestBodyOf } from './operation/request-body.js';
import { type Responses, responsesOf } from './operation/responses.js';
import { credentialsOf } from './operation/security.js';
import { operationUrl } from './operation/servers.js';
import { fittedSchema } from './schema/fit.js';

/** Characters of the inputs of one operation; the rest of a contract is for its output. */
const INPUT_CHARS_MAX = 11_000;
/** What a contract has beside its schemas. */
const OTHER_CHARS = 2_500;
const BINDING_CHARS_MAX = 20_000;

/** What all operations of an import have in common. */
export interface ImportContext {
  document: OpenApiDocument;
  options: ImportOptions;
  operations: readonly Operation[];
  base_url: string;
  title: string;
}

/** A tool made of an operation, and what an operator should know about it. */
export interface CompiledOperation {
  contract: ToolContract;
  binding: ToolBinding;
  warnings: string[];
}

interface Parts {
  parameters: Parameter[];
  body: RequestBody | undefined;
  responses: Responses;
  binding: OperationBinding;
}

/** Whether a header is the one for keys; it is never an input. */
const isKeyHeader = (name: string, overlay: OperationOverlay | undefined): boolean =>
  name.toLowerCase() === 'idempotency-key' || name.toLowerCase() === overlay?.idempotency_header?.toLowerCase();

/** @throws OperationFault if the operation cannot become a tool */
export function compileOperation(context: ImportContext, operation: Operation, name: string): CompiledOperation {
  const parts = partsOf(context, operation);
  const overlay = overlayOf(context.options, operation);
  const tool: ToolBinding = { ...parts.binding, ...reconciled(context, overlay), ...compensated(context, overlay) };
  if (JSON.stringify(tool).length > BINDING_CHARS_MAX) throw new OperationFault('has too many parameters');
  const about = { context, operation, name, overlay, parts, tool };
  try {
    return compiled(about, false);
  } catch (cause) {
    if (!(cause instanceof OperationFault)) throw cause;
    // Few schemas have a hazard: only for them smaller copies are tried until one has none.
    return compiled(about, true);
  }
}

interface AboutOperation {
  context: ImportContext;
  operation: Operation;
  name: string;
  overlay: OperationOverlay | undefined;
  parts: Parts;
  tool: ToolBinding;
}

function compiled({ context, operation, name, overlay, parts, tool }: AboutOperation, is_checked: boolean): CompiledOperation {
  const { document, options, title: document_title } = context;
  const { parameters, body, responses, binding } = parts;
  const input = fittedSchema(document, inputSource(parameters, body), { direction: 'input', chars_max: INPUT_CHARS_MAX, is_checked });
  const source = {
    ...{ operation, name, overlay, options, input, document_title },
    url: binding.url,
    secrets: secretsOf(tool, tool.reconcile?.read, tool.compensate?.by),
    descriptions: new Map(parameters.map(({ binding: { input: at }, description }) => [at, description])),
    pages_input: binding.pages?.input,
  };
  const used = Buffer.byteLength(JSON.stringify([input.schema, input.defs, [...source.descriptions.values()]]));
  const limits = { chars_max: CONTRACT_BYTES_MAX - OTHER_CHARS - used, is_open: overlay?.output === 'anything', is_checked };
  const output = outputSchema(document, responses, { ...limits, pages: binding.pages });
  const contract = operationContract(source, output.schema);
  return { contract, binding: tool, warnings: warningsOf(input.cut_below, output.cut_below, responses) };
}

const secretsOf = (...bindings: (OperationBinding | undefined)[]): string[] => [
  ...new Set(bindings.flatMap((binding) => (binding?.credentials ?? []).map(({ secret }) => secret))),
];

function warningsOf(input: number | undefined, output: number | undefined, { schema }: Responses): string[] {
  return [
    ...(input === undefined ? [] : [`inputs deeper than ${input} are not checked: the schema is too large`]),
    ...(output === undefined ? [] : [`output deeper than ${Math.max(0, output)} is not checked`]),
    ...(schema === undefined ? ['the document declares no body of JSON for its success'] : []),
  ];
}

function inputSource(parameters: readonly Parameter[], body: RequestBody | undefined): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const { binding, schema } of parameters) properties[binding.input] = schema ?? { type: 'string' };
  const required = parameters.filter((parameter) => parameter.required).map(({ binding }) => binding.input);
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...properties, ...body?.properties },
    required: [...required, ...(body?.required ?? [])],
  };
}

/** How an operation is requested, and the sources of its schemas. @throws OperationFault */
function partsOf({ document, options, base_url }: ImportContext, operation: Operation): Parts {
  const overlay = overlayOf(options, operation);
  const declared = parametersOf(document, operation);
  const key_header =
    overlay?.idempotency_header ??
    declared.find(({ binding: { in: at, name } }) => at === 'header' && isKeyHeader(name, overlay))?.binding.name;
  const credentials = credentialsOf(document, operation, options);
  const parameters = declared.filter(({ binding }) => {
    const { in: at, name } = binding;
    const is_credential = credentials.some((one) => one.as === at && one.name.toLowerCase() === name.toLowerCase());
    return !is_credential && !(at === 'header' && isKeyHeader(name, overlay));
  });
  const body = requestBodyOf(document, operation, new Set(parameters.map(({ binding }) => binding.input)));
  const responses = responsesOf(document, operation);
  const pages = pagesOf(document, operation, { parameters, body: responses.schema, follow_max: overlay?.follow_pages ?? 1 });
  const url = operationUrl(operation, base_url, options);
  pathFault(operation, parameters);
  const binding: OperationBinding = {
    operation: operation.id,
    method: operation.method,
    url,
    parameters: parameters.map((parameter) => parameter.binding),
    ...(body ? { body: body.binding } : {}),
    accept: responses.accept,
    credentials,
    ...(key_header !== undefined && operation.method !== 'GET' && operation.method !== 'HEAD' ? { idempotency_header: key_header } : {}),
    ...(pages ? { pages } : {}),
  };
  return { parameters, body, responses, binding };
}

function pathFault({ path }: Operation, parameters: readonly Parameter[]): void {
  const named = new Set(parameters.filter(({ binding }) => binding.in === 'path').map(({ binding }) => binding.name));
  const missing = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string).filter((name) => !named.has(name));
  if (missing.length > 0) throw new OperationFault(`does not declare the path parameter ${JSON.stringify(missing[0])}`);
}

function reconciled(context: ImportContext, overlay: OperationOverlay | undefined): Pick<ToolBinding, 'reconcile'> {
  if (!overlay?.reconcile) return {};
  const { tool, inputs, matches, is_complete, items } = overlay.reconcile;
  const read = otherOperation(context, tool, 'reconcile');
  if (read.method !== 'GET') throw new OperationFault(`reconcile names ${read.operation}, which is no read`);
  unknownInputs(read, inputs, 'reconcile');
  if (Object.values(inputs).some((source) => 'from' in source && source.from.startsWith('/output')))
    throw new OperationFault('the inputs of its reconcile read /output, which is not known when the answer is lost');
  return { reconcile: { read, inputs, matches, is_complete, ...(items === undefined ? {} : { items }) } };
}

function compensated(context: ImportContext, overlay: OperationOverlay | undefined): Pick<ToolBinding, 'compensate'> {
  if (!overlay?.compensation) return {};
  const { tool, inputs } = overlay.compensation;
  const by = otherOperation(context, tool, 'compensation');
  unknownInputs(by, inputs, 'compensation');
  return { compensate: { by, inputs } };
}

/** @throws OperationFault if an input is mapped that the operation does not have */
function unknownInputs({ parameters, body, operation }: OperationBinding, inputs: object, what: string): void {
  const known = new Set(parameters.map(({ input }) => input));
  if (body) for (const input of 'input' in body.from ? [body.from.input] : body.from.properties) known.add(input);
  const unknown = Object.keys(inputs).filter((input) => !known.has(input));
  if (unknown.length > 0)
    throw new OperationFault(`its ${what} names inputs that ${operation} does not have: ${unknown.slice(0, 5).join(', ')}`);
}

function otherOperation(context: ImportContext, name: string, what: string): OperationBinding {
  const operation = operationNamed(context.operations, name);
  if (!operation) throw new OperationFault(`its ${what} names ${JSON.stringify(name)}, which the document does not have`);
  return partsOf(context, operation).binding;
}
