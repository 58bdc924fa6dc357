/** Rejects if the work has not settled in time. The work itself continues: the caller must close its resources. */
export async function within<T>(timeout_ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no response within ${timeout_ms} ms`)), timeout_ms);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
