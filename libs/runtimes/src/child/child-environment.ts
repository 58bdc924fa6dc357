/** What a child needs of its surroundings. Everything else, keys and addresses above all, stays with the executor. */
const KEPT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'SystemRoot'] as const;

/** The environment of a child. Settings of its pack reach it with each run. */
export function childEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
