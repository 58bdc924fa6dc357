/** The platform cannot be opened: one line that says what, where and what to do. */
export class CannotOpen extends Error {}
