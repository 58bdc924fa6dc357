const DAY_MS = 86_400_000;

/** Runs `work` a day later, with other random numbers: the output shows if it depends on either. */
export async function inOtherTimes<T>(work: () => Promise<T>): Promise<T> {
  const RealDate = Date;
  const random = Math.random;
  class LaterDate extends RealDate {
    constructor(...parts: unknown[]) {
      super(...((parts.length === 0 ? [RealDate.now() + DAY_MS] : parts) as [number]));
    }
    static override now(): number {
      return RealDate.now() + DAY_MS;
    }
  }
  globalThis.Date = LaterDate as DateConstructor;
  Math.random = () => (random() + 0.5) % 1;
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
    Math.random = random;
  }
}
