/** Created at the first start; its admins administer the installation, and events of the whole installation are its. */
export const DEFAULT_TENANT = 'default';
