const CHARACTERS_MAX = 300;

/** Messages of the validation, and what a person who fills in a form is told instead. */
const WORDS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^Too small: expected string to have >=1 /, () => 'Fill this in.'],
  [/^is required/, () => 'Fill this in.'],
  [/^Too small: expected array to have >=1 /, () => 'At least one is needed.'],
  [/^Too big: expected string to have <=(\d+) /, ([, count]) => `At most ${count} characters.`],
  [/^Invalid URL$/, () => 'Enter a complete address, such as https://example.org.'],
  [/^Invalid option: expected one of (.+)$/, ([, options = '']) => `One of ${options.replaceAll('"', '').replaceAll('|', ', ')}.`],
];

/** What is wrong with a field, as a sentence. A message without words of its own is shown as it is. */
export function issueWords(message: string): string {
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(message);
    if (found) return words(found).slice(0, CHARACTERS_MAX);
  }
  return (message.slice(0, 1).toUpperCase() + message.slice(1)).slice(0, CHARACTERS_MAX);
}
