/** A program that never says anything. */
setTimeout(() => undefined, 60_000);
