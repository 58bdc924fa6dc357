/** How long the page may be busy at once: a task over 50 ms is felt. */
const SLICE_MS = 12;

/** Lets the browser draw and answer. Unlike a timer it is not slowed down in a hidden tab. */
function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Runs something that pauses often, in slices that leave the page free. `onPause` gets what it yielded last. */
export async function runInSlices<P, T>(
  steps: Generator<P, T, void>,
  { onPause, signal }: { onPause?: ((progress: P) => void) | undefined; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    if (performance.now() < until) continue;
    onPause?.(next.value);
    await pause();
    signal?.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
}
