/** The W3C traceparent of a call of a saga: all its calls share the trace of the saga. */
export function traceparentOf(correlation_id: string, call_id: string): string | undefined {
  const span = call_id
    .slice(call_id.indexOf('-') + 1)
    .replaceAll('-', '')
    .slice(-16);
  return /^[0-9a-f]{32}$/.test(correlation_id) && /^[0-9a-f]{16}$/.test(span) ? `00-${correlation_id}-${span}-01` : undefined;
}
