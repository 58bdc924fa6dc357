import type { CompiledDocument, CompiledTool, SkippedOperation } from '../compile-document.js';
import type { ImportOptions } from '../import-options.js';

/** What a thread is started for: a document as text, as UTF-8, or as the gzip of that. */
export interface CompileJob {
  document: { text: string } | { bytes: Uint8Array } | { gzip: Uint8Array };
  options: ImportOptions;
  document_url?: string | undefined;
}

/** Asks the thread for its next part. */
export const MORE = 'more';

/** A part of a compiled document. */
export interface CompiledPart {
  kind: 'part';
  document?: CompiledDocument;
  tools: CompiledTool[];
  skipped: SkippedOperation[];
  done: boolean;
}

export type CompileMessage = CompiledPart | { kind: 'fault'; message: string };
