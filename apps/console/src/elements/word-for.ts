/** A word of a table for a wire value; one that this console does not know is shown as it is. */
export const wordFor = (words: Readonly<Record<string, string>>, value: string): string =>
  Object.hasOwn(words, value) ? (words[value] as string) : value.replaceAll('_', ' ');
