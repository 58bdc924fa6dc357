import { canonicalText, sha256Hex } from '@countersign/contracts';
import { compileOperation, type ImportContext } from './compile-operation.js';
import { DocumentFault, OpenApiDocument, OperationFault } from './document.js';
import { documentValue } from './document-text.js';
import type { ImportOptions } from './import-options.js';
import { toolNames } from './operation/names.js';
import { operationsOf, selected, unknownNames } from './operation/operations.js';
import { baseUrl } from './operation/servers.js';
import { plainText } from './schema/copy.js';

/** Operations that one import may make tools of. */
export const IMPORTED_OPERATIONS_MAX = 1_000;
const TEXT_CHARS = 200;
const REASON_CHARS = 500;

/** A tool as the thread that compiled it hands it over: texts, so that the receiver parses only what it needs. */
export interface CompiledTool {
  name: string;
  operation: string;
  effect_class: string;
  /** Its version is 1.0.0 until the importer sets another one. */
  contract_json: string;
  binding_json: string;
  /** Identifies contract (without version) and binding. */
  content_digest: string;
  secrets: string[];
  pages: string | null;
  warnings: string[];
}

/** An operation that is no tool, and why. */
export interface SkippedOperation {
  operation: string;
  reason: string;
}

/** What a document says about itself. */
export interface CompiledDocument {
  title: string;
  document_version: string;
  openapi: string;
  /** SHA-256 of its text, hex. */
  digest: string;
  base_url: string;
  operations: number;
  /** Names in the options that the document does not have. */
  unknown_names: string[];
}

export interface CompileRequest {
  text: string;
  options: ImportOptions;
  /** Where the document came from: relative servers are relative to it. */
  document_url?: string | undefined;
}

const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' && plainText(value, TEXT_CHARS)) || otherwise;

/** Yields the document, then a tool or a reason for each operation. @throws DocumentFault */
export function* compileDocument(request: CompileRequest): Generator<CompiledDocument | CompiledTool | SkippedOperation, void> {
  const { text, options, document_url } = request;
  const document = new OpenApiDocument(documentValue(text));
  const all = operationsOf(document);
  const chosen = selected(all, options.only);
  if (chosen.length > IMPORTED_OPERATIONS_MAX)
    throw new DocumentFault(
      `the document has ${chosen.length} operations; one import takes at most ${IMPORTED_OPERATIONS_MAX}: choose some with \`only\``,
    );
  const info = (document.root.info ?? {}) as { title?: unknown; version?: unknown };
  const title = textOf(info.title, options.name);
  const base_url = baseUrl(document.root, options, document_url);
  yield {
    title,
    document_version: textOf(info.version, ''),
    openapi: String(document.root.openapi),
    digest: sha256Hex(text),
    base_url,
    operations: all.length,
    unknown_names: unknownNames(all, options).slice(0, 50),
  };
  const context: ImportContext = { document, options, operations: all, base_url, title };
  const names = toolNames(all, options);
  for (const operation of chosen) {
    try {
      yield compiledTool(compileOperation(context, operation, names.get(operation) as string), operation.id);
    } catch (cause) {
      if (!(cause instanceof OperationFault)) throw cause;
      yield { operation: operation.id.slice(0, REASON_CHARS), reason: cause.message.slice(0, REASON_CHARS) };
    }
  }
}

function compiledTool({ contract, binding, warnings }: ReturnType<typeof compileOperation>, operation: string): CompiledTool {
  const { version: _unset, ...content } = contract;
  return {
    name: contract.name,
    operation,
    effect_class: contract.effect_class,
    contract_json: canonicalText(contract),
    binding_json: canonicalText(binding),
    content_digest: sha256Hex(canonicalText({ contract: content, binding })),
    secrets: contract.auth_requirements ?? [],
    pages: binding.pages?.kind ?? null,
    warnings,
  };
}
