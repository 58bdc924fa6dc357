/** Whether a value is a whole number from 0 on that a double holds exactly; a text of digits is none. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
