import { CannotOpen } from './cannot-open.js';

/** A fault of `net.Server#listen`. */
interface ListenFault {
  code?: string;
  syscall?: string;
  port?: number;
  address?: string;
  hostname?: string;
}

/** Describes the fault of the listen address and names its variables; undefined for any other fault. */
export function cannotListen(cause: unknown, names: { port: string; host: string }): CannotOpen | undefined {
  const { code, syscall, port, address, hostname } = cause as ListenFault;
  const fault = (line: string) => new CannotOpen(line, { cause });
  switch (code) {
    case 'EADDRINUSE':
      return fault(`port ${port} is in use: stop the process that listens on it, or set ${names.port}`);
    case 'EADDRNOTAVAIL':
      return fault(`${address} is not an address of this machine: set ${names.host}`);
    case 'EACCES':
      return syscall === 'listen' ? fault(`this user may not listen on port ${port}: set ${names.port} to a port above 1023`) : undefined;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return syscall === 'getaddrinfo' ? fault(`the host name ${hostname} has no address on this machine: set ${names.host}`) : undefined;
    default:
      return undefined;
  }
}
