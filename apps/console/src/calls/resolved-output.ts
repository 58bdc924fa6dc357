/** The output that a person gives: a JSON value, none, or what is wrong with it. */
export function outputOf(text: string): { value: unknown } | { error: string } | Record<never, never> {
  if (text.trim() === '') return {};
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (cause) {
    return { error: `This is not JSON: ${cause instanceof Error ? cause.message.slice(0, 200) : 'it cannot be read'}` };
  }
}
