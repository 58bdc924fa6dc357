import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
  /** The process that sent it. */
  service: string;
}

interface Exported {
  resourceSpans?: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

/** A receiver for the spans of OpenTelemetry's SDK. */
export class TraceCollector {
  private readonly spans: Span[] = [];
  private readonly server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      this.take(JSON.parse(body) as Exported);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** Environment of a process that sends its spans here. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    };
  }

  of(trace_id: string): Span[] {
    return this.spans.filter(({ traceId }) => traceId === trace_id);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take({ resourceSpans = [] }: Exported): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const scope of scopeSpans) for (const span of scope.spans) this.spans.push({ ...span, service });
    }
  }
}
