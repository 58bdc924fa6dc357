import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { compileDocument } from '../compile-document.js';
import { DocumentFault, OperationFault } from '../document.js';
import { DOCUMENT_BYTES_MAX } from '../document-text.js';
import type { CompiledPart, CompileJob, CompileMessage } from './compile-message.js';

/** Tools of one message: more would hold up the receiving thread. */
const TOOLS_MAX = 8;

const job = workerData as CompileJob;
const port = parentPort;
if (!port) throw new Error('this module is the entry of a thread');

function textOf({ document }: CompileJob): string {
  if ('text' in document) return document.text;
  if ('bytes' in document) return new TextDecoder('utf-8').decode(document.bytes);
  try {
    return gunzipSync(document.gzip, { maxOutputLength: DOCUMENT_BYTES_MAX }).toString('utf8');
  } catch (cause) {
    const is_large = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new DocumentFault(is_large ? `the document has more than ${DOCUMENT_BYTES_MAX} bytes` : 'the document is not gzip');
  }
}

const parts = partsOf();
port.on('message', () => port.postMessage(next()));

function next(): CompileMessage {
  try {
    const { value, done } = parts.next();
    return done || value === undefined ? { kind: 'part', tools: [], skipped: [], done: true } : value;
  } catch (cause) {
    if (cause instanceof DocumentFault || cause instanceof OperationFault) return { kind: 'fault', message: cause.message };
    throw cause;
  }
}

function* partsOf(): Generator<CompiledPart, void> {
  let part: CompiledPart = { kind: 'part', tools: [], skipped: [], done: false };
  for (const one of compileDocument({ text: textOf(job), options: job.options, document_url: job.document_url })) {
    if ('reason' in one) part.skipped.push(one);
    else if ('contract_json' in one) part.tools.push(one);
    else part.document = one;
    if (part.tools.length < TOOLS_MAX && part.skipped.length < TOOLS_MAX * 8) continue;
    yield part;
    part = { kind: 'part', tools: [], skipped: [], done: false };
  }
  yield part;
}
