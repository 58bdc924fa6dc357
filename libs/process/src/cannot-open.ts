/** The platform cannot be opened: one line that states what is wrong, where, and what to do. */
export class CannotOpen extends Error {}
