const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether `host:port` is one of the declared hosts (`host`, `host:port`, `*.host`, `*`). */
export function isDeclared(target: string, declared: readonly string[]): boolean {
  const at = target.lastIndexOf(':');
  const host = target.slice(0, at).toLowerCase();
  return declared.some((pattern) => {
    const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
    if (port !== undefined && port !== target.slice(at + 1)) return false;
    return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)));
  });
}

/** A host of this machine. */
export function isLoopback(declared: string): boolean {
  return LOOPBACK.has(declared.replace(/:\d+$/, ''));
}
