/** The upstream cannot be used here until somebody changes its configuration or that of the installation. */
export class UpstreamUnusable extends Error {}

/** A process ended by itself before its server had answered. */
export class EndedBefore extends Error {}
