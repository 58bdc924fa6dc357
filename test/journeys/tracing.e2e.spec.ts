import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EmbeddedPlatform } from './embedded-platform.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

let collector: Server;
let platform: EmbeddedPlatform;
const spans: Span[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      for (const resource of JSON.parse(body).resourceSpans ?? []) for (const scope of resource.scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as { port: number };
  platform = await EmbeddedPlatform.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  });
}, 60_000);
afterAll(async () => {
  await platform?.close();
  collector.close();
});

test('one trace goes from HTTP through every hop and carries the decision', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const { body } = await platform
    .admin()
    .call(
      { tool: 'write_file', inputs: { path: 't.txt', content: 't', mode: 'create' } },
      { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    );
  expect(body).toMatchObject({ status: 'succeeded', trace_id: traceId });
  const end = performance.now() + 10_000;
  const ours = () => spans.filter((span) => span.traceId === traceId);
  while (ours().length < 6 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
  const names = ours().map((span) => span.name);
  expect(names).toEqual(expect.arrayContaining(['POST /v1/calls', 'policy policy_decided', 'execute_tool write_file']));
  expect(names).toEqual(expect.arrayContaining(['dispatch', 'run', 'result'].map((part) => `tool.write_file.${part}`)));
  const executed = ours().find((span) => span.name === 'execute_tool write_file') as Span;
  const attributes = Object.fromEntries(executed.attributes.map(({ key, value }) => [key, value.stringValue]));
  expect(attributes['contextos.action.approval_mode_effective']).toBe('local_write');
  expect(attributes['contextos.action.policy_decision_id']).toBe(body.decision?.decision_id);
  expect(attributes['countersign.action.policy_decision_id']).toBe(body.decision?.decision_id);
  expect(attributes).toMatchObject({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': body.call_id });
  const partOf = (name: string) => {
    const part = ours().find((span) => span.name === `tool.write_file.${name}`) as Span;
    expect(part.parentSpanId).toBe(executed.spanId);
    return Object.fromEntries(part.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  };
  expect(partOf('dispatch')).toMatchObject({
    'countersign.idempotency_key': body.idempotency_key,
    'countersign.decision_id': body.decision?.decision_id,
    'countersign.inputs_digest': expect.stringMatching(/^[0-9a-f]{64}$/),
    'countersign.caller.kind': expect.any(String),
  });
  expect(partOf('run')).toMatchObject({ 'countersign.run.result': 'output', 'countersign.run.duration_ms': expect.anything() });
  expect(partOf('result')).toMatchObject({ 'countersign.status': 'succeeded', 'countersign.output_digest': expect.any(String) });
  const ids = new Set(ours().map((span) => span.spanId));
  expect(ours().filter((span) => span.parentSpanId && ids.has(span.parentSpanId)).length).toBeGreaterThanOrEqual(2);
}, 30_000);
