import { setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { anyCase, asWritten, type LineMatcher, searchLines } from './line-search.js';
import type { Regex, RegexEngine } from './regex-engine.js';
import type { PatternFault, SearchPattern } from './search-pattern.js';
import type { SearchReply, SearchRequest, SearchThreadReady } from './search-request.js';
import { ownThreadId } from './thread-time.js';

/** After this much work the thread replies with its partial result, so that another tenant gets its turn. */
const SLICE_MS = 20;
/** A lower priority than the main thread. On Linux this affects the calling thread alone; on other systems it is not set. */
const NICENESS = 15;

/** Handles one request at a time. The regex engine is loaded with the first regular expression. */
class SearchThread {
  private engine: RegexEngine | undefined;

  constructor(private readonly port: MessagePort) {}

  async answer(request: SearchRequest): Promise<void> {
    const reply = request.kind === 'whole' ? await this.whole(request) : await this.lines(request);
    this.port.postMessage(reply, reply.kind === 'lines' ? [reply.bytes.buffer as ArrayBuffer] : []);
  }

  private async whole({ pattern, texts, from }: Extract<SearchRequest, { kind: 'whole' }>): Promise<SearchReply> {
    const regex = await this.regex(pattern);
    if ('reason' in regex) return { kind: 'refused', fault: regex };
    const pause = sliceEnds();
    const matched: boolean[] = [];
    for (const text of texts.slice(from)) {
      matched.push(regex.test(text));
      if (pause()) break;
    }
    const next = from + matched.length;
    return { kind: 'whole', matched, ...(next < texts.length && { next }) };
  }

  private async lines({ pattern, bytes, from, limit }: Extract<SearchRequest, { kind: 'lines' }>): Promise<SearchReply> {
    const matcher = await this.matcher(pattern);
    if ('reason' in matcher) return { kind: 'refused', fault: matcher };
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { kind: 'lines', found: searchLines(text, from, matcher, limit, sliceEnds()), bytes };
  }

  private matcher(pattern: SearchPattern): LineMatcher | Promise<LineMatcher | PatternFault> {
    if (pattern.kind === 'regex') return this.regex(pattern);
    return pattern.any_case ? anyCase(pattern.source) : asWritten(pattern.source);
  }

  private async regex(pattern: SearchPattern): Promise<Regex | PatternFault> {
    if (!this.engine) {
      const module = await import('./regex-engine.js');
      this.engine = new module.RegexEngine();
    }
    return this.engine.regex(pattern);
  }
}

function sliceEnds(): () => boolean {
  const ends_ms = performance.now() + SLICE_MS;
  return () => performance.now() >= ends_ms;
}

if (process.platform === 'linux') setPriority(NICENESS);
if (parentPort) {
  const port = parentPort;
  const thread = new SearchThread(port);
  port.on('message', (request: SearchRequest) => void thread.answer(request));
  port.postMessage({ kind: 'ready', thread_id: ownThreadId() } satisfies SearchThreadReady);
}
