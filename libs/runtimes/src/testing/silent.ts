/** A program that never sends anything. */
setTimeout(() => undefined, 60_000);
