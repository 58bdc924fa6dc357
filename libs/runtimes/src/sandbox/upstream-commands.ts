import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** Variables that decide how programs are loaded or found, also those of the sandbox itself. */
const RESERVED =
  /^(PATH|HOME|ENV|IFS|SHELL|TMPDIR|LANG|(BASH|LC|LD|NODE|PYTHON|PERL|RUBY|JAVA|GLIBC|MALLOC|COUNTERSIGN)_?.*|STATE_DIRECTORY|.*_(PROXY|proxy)|HTTPS?_PROXY)$/;

const host = z
  .string()
  .max(260)
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9]\d{0,4})?$/, 'a host in lower case, with a port if it is not 443');

const absolute = z
  .string()
  .max(4096)
  .refine(
    (folder) => isAbsolute(folder) && !/^\/*$|^\/+(proc|sys|dev)(\/|$)/.test(folder),
    'an absolute path of a folder or file, not / and not below /proc, /sys or /dev',
  );

const command = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'a name of at most 32 of a-z 0-9 -, beginning with a letter'),
  argv: z
    .array(
      z
        .string()
        .max(4096)
        .refine((part) => !part.includes('\0'), 'no NUL character'),
    )
    .min(1)
    .max(100),
  env: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'the name of an environment variable')
        .refine((name) => !RESERVED.test(name), 'this variable is reserved: it decides how programs are loaded or reached'),
    )
    .max(20)
    .default([]),
  hosts: z.array(host).max(50).default([]),
  read: z.array(absolute).max(20).default([]),
  state: z.strictObject({ folder: absolute, mb_max: z.int().min(1).max(1_000_000).default(256) }).optional(),
});

const commands = z
  .array(command)
  .max(100)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two commands have the same name');

/**
 * A program of the installation that speaks MCP over stdio. `env`: variables that a tenant fills with its secrets. `hosts`: what it may
 * reach, through the platform. `read`: folders besides those of the system that it may read. `state`: a folder of the executor in which each
 * tenant has one of its own, which the program writes.
 */
export type UpstreamCommand = z.output<typeof command>;

/** The commands of `COUNTERSIGN_UPSTREAM_COMMANDS`, or the faults of its text. */
export function upstreamCommandsOf(json: string): { commands: readonly UpstreamCommand[] } | { faults: string[] } {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    return { faults: ['must be JSON: a list of commands'] };
  }
  const parsed = commands.safeParse(given);
  if (parsed.success) return { commands: parsed.data };
  return { faults: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the list'}: ${message}`) };
}
