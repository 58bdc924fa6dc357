import { list } from '@countersign/process';
import { z } from 'zod';

/** Only the names matter here: executors check and run the commands. */
const named = z.array(z.object({ name: z.string() }));

const commands = z
  .string()
  .default('[]')
  .meta({ variable_type: 'JSON' })
  .transform((text, context): readonly string[] => {
    try {
      const read = named.safeParse(JSON.parse(text));
      if (read.success) return read.data.map(({ name }) => name);
    } catch {
      // Told below.
    }
    context.addIssue({ code: 'custom', message: 'must be JSON: a list of commands with a name each', input: text });
    return [];
  });

/** The variables of upstreams. Executors have the same, with more of each command. */
export const upstreamSettings = {
  COUNTERSIGN_UPSTREAM_COMMANDS: commands.describe(
    'programs of this installation that speak MCP over stdio, as executors have them: the gateway reads their names',
  ),
  COUNTERSIGN_UPSTREAM_PRIVATE: list('').describe(
    'hosts of private networks (`host` or `host:port`) that upstreams and the `hosts` of commands may use; upstreams there may use plain http',
  ),
};
