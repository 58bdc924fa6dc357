import { Tag } from '../elements/status-badge.js';
import { wordFor } from '../elements/word-for.js';

/** What the scan of definitions found, in words. */
const FLAGS: Readonly<Record<string, string>> = {
  hidden_characters: 'hidden characters',
  terminal_escapes: 'terminal escapes',
  hidden_markup: 'hidden markup',
  padding: 'padding that hides text',
  instructions: 'instructions to the model',
  secrecy: 'asks for secrecy',
  role_markers: 'poses as another role',
  tool_shadowing: 'speaks of other tools',
  credentials: 'asks for credentials',
  exfiltration: 'sends data out',
  encoded_payload: 'encoded text',
};

/** Patterns of injection in a definition: a hint and no proof. */
export function Flags({ flags }: { flags: readonly string[] }) {
  return (
    <>
      {flags.slice(0, 20).map((flag) => (
        <Tag key={flag} tone="bad">
          {wordFor(FLAGS, flag)}
        </Tag>
      ))}
    </>
  );
}

const HINTS: readonly (readonly [name: string, yes: string, no: string])[] = [
  ['read_only', 'reads only', 'changes something'],
  ['destructive', 'destroys or overwrites', 'only adds'],
  ['idempotent', 'the same call again changes nothing more', 'the same call again changes more'],
  ['open_world', 'reaches other systems', 'stays within its own system'],
];

/** What a server claims of a tool; empty: nothing. Claims of the server are unverified. */
export function hintsText(annotations: Readonly<Record<string, unknown>>): string {
  const said = HINTS.map(([name, yes, no]) => (annotations[name] === true ? yes : annotations[name] === false ? no : undefined));
  return said.filter((word) => word !== undefined).join(', ');
}
