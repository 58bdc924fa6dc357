import { Refusal } from '@countersign/calls';
import { type CompileJob, DOCUMENT_BYTES_MAX } from '@countersign/openapi';
import type { OutboundDoor } from '@countersign/outbound';
import type { ImportRequest } from './openapi-imports.schemas.js';

const FETCH_MS = 30_000;
const REDIRECTS_MAX = 3;

const refused = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', message, { issues: [{ path, code: 'document', message }] });

/** Gets the document of a request: from its body, or from the address that it names. The text of a response is never part of an error. */
export class DocumentSource {
  constructor(private readonly door: OutboundDoor) {}

  async documentOf(request: ImportRequest): Promise<Pick<CompileJob, 'document' | 'document_url'> | Refusal> {
    const { document, document_gzip, url } = request;
    if (typeof document === 'string') return { document: { text: document } };
    if (document !== undefined) return { document: { text: JSON.stringify(document) } };
    if (document_gzip !== undefined) return { document: { gzip: Buffer.from(document_gzip, 'base64') } };
    return this.fetched(url ?? '');
  }

  private async fetched(url: string): Promise<Pick<CompileJob, 'document' | 'document_url'> | Refusal> {
    const fault = this.door.fault(url);
    if (fault) return refused('/url', `the address is refused: ${fault.message}`);
    const answer = await this.door.exchange({
      method: 'GET',
      url,
      headers: {
        accept: 'application/json, application/yaml, text/yaml, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'countersign',
      },
      redirects_max: REDIRECTS_MAX,
      answer: { bytes_max: DOCUMENT_BYTES_MAX, when_larger: 'fail' },
      signal: AbortSignal.timeout(FETCH_MS),
    });
    if (answer.kind === 'failed') return refused('/url', `the document cannot be fetched: ${answer.message}`);
    if (answer.status !== 200) return refused('/url', `the document cannot be fetched: the server responded with status ${answer.status}`);
    return { document: { bytes: answer.bytes }, document_url: answer.url };
  }
}
