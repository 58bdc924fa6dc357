import { canonicalText, isReadOnly, type JsonSchema, type ToolContract } from '@countersign/contracts';
import { contractOf, type ToolTraits } from '@countersign/tool-kit';
import { OperationFault } from '../document.js';
import type { ImportOptions, OperationOverlay } from '../import-options.js';
import { plainText } from '../schema/copy.js';
import type { Fitted } from '../schema/fit.js';
import type { Operation } from './operations.js';

/** Bytes of one contract on the log. */
export const CONTRACT_BYTES_MAX = 20_000;
const TITLE_CHARS = 120;
const DESCRIPTION_CHARS = 700;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** The parts of a contract that its operation has given. */
export interface ContractSource {
  operation: Operation;
  name: string;
  overlay: OperationOverlay | undefined;
  options: ImportOptions;
  document_title: string;
  url: string;
  secrets: string[];
  input: Fitted;
  /** Input → what the document says about it. */
  descriptions: ReadonlyMap<string, string>;
  pages_input: string | undefined;
}

const present = (declared: object): object => Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined));

/** @throws OperationFault with the faults of the contract */
export function operationContract(source: ContractSource, output_schema: JsonSchema): ToolContract {
  const overlay = declaredIn(source.overlay);
  const parts = {
    input_schema: inputSchema(source),
    output_schema,
    has_reconcile: overlay.reconcile !== undefined,
    has_compensate: overlay.compensation !== undefined,
  };
  const contract = firstWithoutFault(traitsOf(source), parts);
  const bytes = Buffer.byteLength(canonicalText(contract));
  if (bytes > CONTRACT_BYTES_MAX) throw new OperationFault(`its contract has ${bytes} bytes; at most ${CONTRACT_BYTES_MAX} are allowed`);
  return contract;
}

/** All inputs identify a write, unless some of them is a time: then they are named one by one. */
function firstWithoutFault(traits: ToolTraits, parts: Parameters<typeof contractOf>[1]): ToolContract {
  if (isReadOnly(traits.effect_class) || traits.idempotency !== undefined) return checked(traits, parts);
  try {
    return contractOf({ ...traits, idempotency: { except: [] } }, parts);
  } catch {
    const discriminating = Object.keys((parts.input_schema.properties as object | undefined) ?? {});
    return checked({ ...traits, idempotency: { discriminating } }, parts);
  }
}

function checked(traits: ToolTraits, parts: Parameters<typeof contractOf>[1]): ToolContract {
  try {
    return contractOf(traits, parts);
  } catch (cause) {
    throw new OperationFault(cause instanceof Error ? cause.message.slice(0, 500) : 'its contract is not valid');
  }
}

function traitsOf({ operation, name, overlay, options, document_title, url, secrets, pages_input }: ContractSource): ToolTraits {
  const { method, node, tags } = operation;
  const reads = method === 'GET' || method === 'HEAD';
  const {
    title,
    description,
    summary,
    effect_class = reads ? 'read_external' : 'commit_high',
    discriminating,
    window_ms,
  } = declaredIn(overlay);
  const { reversibility, resources, timeout_ms, settle_ms, settle_is_final, undo_within_ms, markings, scopes, purposes, tier } =
    declaredIn(overlay);
  const said = [node.summary, node.description].filter((text): text is string => typeof text === 'string').join('. ');
  return present({
    name,
    version: '1.0.0',
    title: title ?? (plainText(String(node.summary ?? operation.operation_id ?? operation.id), TITLE_CHARS) || operation.id),
    description:
      description ??
      `${plainText(said, DESCRIPTION_CHARS)} Requests ${operation.id} of the API ${document_title}.${pageNote(pages_input)}`.trim(),
    category: plainText(tags[0] ?? options.name, 60) || options.name,
    summary,
    effect_class,
    reversibility,
    idempotency:
      discriminating && !isReadOnly(effect_class) ? { discriminating, ...(window_ms === undefined ? {} : { window_ms }) } : undefined,
    resources,
    takes_key: overlay?.idempotency_header !== undefined && !isReadOnly(effect_class) ? true : undefined,
    ...{ timeout_ms, settle_ms, settle_is_final, undo_within_ms, markings, scopes, purposes, tier },
    max_output_bytes: overlay?.max_output_bytes ?? MAX_OUTPUT_BYTES,
    protocol: 'http',
    provider: options.name,
    endpoint: url,
    network: [new URL(url.replace(/[{}]/g, '')).host],
    auth_requirements: secrets.length > 0 ? secrets : undefined,
  }) as unknown as ToolTraits;
}

const declaredIn = (overlay: OperationOverlay | undefined): Partial<OperationOverlay> => overlay ?? {};

const pageNote = (input: string | undefined): string =>
  input === undefined ? '' : ` The result has pages: next_page names the value of ${input} for the next one.`;

function inputSchema({ input: { schema, defs }, descriptions }: ContractSource): JsonSchema {
  const properties = { ...(schema.properties as Record<string, JsonSchema> | undefined) };
  for (const [name, description] of descriptions) {
    const property = properties[name];
    if (property !== undefined && typeof property === 'object' && description !== '') properties[name] = { ...property, description };
  }
  return { ...schema, properties, ...(Object.keys(defs).length > 0 ? { $defs: defs } : {}) };
}
