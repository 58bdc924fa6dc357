/** A program that never says anything. */
setInterval(() => undefined, 1000);
