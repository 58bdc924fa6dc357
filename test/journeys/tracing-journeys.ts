import { expect, test } from 'vitest';
import type { Api } from './api.js';
import type { Span, TraceCollector } from './trace-collector.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
/** Each hop, and its service. */
const HOPS: readonly [string, Service][] = [
  ['POST /v1/calls', 'gateway'],
  ['policy policy_decided', 'policy'],
  ['execute_tool write_file', 'executor'],
  ['tool.write_file.dispatch', 'executor'],
  ['tool.write_file.run', 'executor'],
  ['tool.write_file.result', 'executor'],
  ['project tool_call_requested', 'projector'],
  ['project policy_decided', 'projector'],
  ['project tool_call_started', 'projector'],
  ['project tool_executed', 'projector'],
];
type Service = 'gateway' | 'policy' | 'executor' | 'projector';

export interface TracedWorld {
  admin(): Api;
  collector(): TraceCollector;
  /** The process in which a service runs. */
  processOf(service: Service): string;
}

const valuesOf = ({ attributes }: Span) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export function describeTracing(at: TracedWorld): void {
  test('one trace goes from HTTP through every hop to the views, and contains the decision', async () => {
    const { body } = await at
      .admin()
      .call(
        { tool: 'write_file', inputs: { path: 't.txt', content: 't', mode: 'create' } },
        { traceparent: `00-${TRACE_ID}-${CALLER}-01` },
      );
    expect(body).toMatchObject({ status: 'succeeded', trace_id: TRACE_ID });
    const ours = () => at.collector().of(TRACE_ID);
    const missing = () => HOPS.filter(([hop]) => !ours().some(({ name }) => name === hop));
    for (const end = performance.now() + 20_000; missing().length > 0 && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(missing()).toEqual([]);
    const span = (hop: string) => ours().find(({ name }) => name === hop) as Span;
    for (const [hop, service] of HOPS) expect({ hop, service: span(hop).service }).toEqual({ hop, service: at.processOf(service) });
    const ids = new Set(ours().map(({ spanId }) => spanId));
    const outside = ours().filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId));
    expect(outside.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['POST /v1/calls', CALLER]]);
    const executed = span('execute_tool write_file');
    const decision_id = body.decision?.decision_id;
    expect(valuesOf(executed)).toMatchObject({
      'contextos.action.approval_mode_effective': 'local_write',
      'contextos.action.policy_decision_id': decision_id,
      'countersign.action.approval_mode_effective': 'local_write',
      'countersign.action.policy_decision_id': decision_id,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.id': body.call_id,
    });
    const partOf = (name: string) => {
      const part = span(`tool.write_file.${name}`);
      expect(part.parentSpanId).toBe(executed.spanId);
      return valuesOf(part);
    };
    expect(partOf('dispatch')).toMatchObject({
      'countersign.idempotency_key': body.idempotency_key,
      'countersign.decision_id': decision_id,
      'countersign.inputs_digest': expect.stringMatching(/^[0-9a-f]{64}$/),
      'countersign.caller.kind': expect.any(String),
    });
    expect(partOf('run')).toMatchObject({ 'countersign.run.result': 'output', 'countersign.run.duration_ms': expect.anything() });
    expect(partOf('result')).toMatchObject({ 'countersign.status': 'succeeded', 'countersign.output_digest': expect.any(String) });
  });
}
