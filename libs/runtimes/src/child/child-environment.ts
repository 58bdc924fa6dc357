/** Environment variables that a child receives. All others, above all keys and addresses, stay with the executor. */
const KEPT = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'SystemRoot'] as const;

/** The environment of a child. Settings of its pack are sent with each run. */
export function childEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = environment[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
