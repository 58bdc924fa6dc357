import {
  canonicalText,
  type EffectClass,
  isReadOnly,
  type JsonSchema,
  type Reversibility,
  sha256Hex,
  type ToolContract,
  type UpstreamTie,
} from '@countersign/contracts';
import { upstreamAliasName } from './names.js';
import type { UpstreamAddress, UpstreamDefinition, UpstreamHints, UpstreamOverlay } from './state.js';

const WINDOW_MS = 24 * 3_600_000;
const OUTPUT_BYTES_MAX = 2 * 1024 * 1024;
const TITLE_MAX = 200;

const REVERSIBILITY: Readonly<Record<EffectClass, Reversibility>> = {
  pure: 'reversible',
  read_internal: 'reversible',
  read_external: 'reversible',
  stage: 'reversible',
  commit_low: 'semantic',
  commit_high: 'irreversible',
};

/** Nothing is known of a tool until an operator classifies it: it counts as the most dangerous kind. */
export const UNCLASSIFIED: UpstreamOverlay = { effect_class: 'commit_high' };

/** Digest of everything that an upstream says of a tool, hex. What we found in it is not a part: new patterns change no tool. */
export function definitionDigest({ flags: _flags, ...said }: UpstreamDefinition): string {
  return sha256Hex(canonicalText(said));
}

/** The address as contracts name it; it is a part of what callers agreed to. */
export const addressText = (place: UpstreamAddress): string => (place.kind === 'http' ? place.url : `command:${place.command}`);

/** The class that the hints of a server suggest to the operator. It decides nothing. */
export function suggestedClass({ read_only, destructive, open_world }: UpstreamHints): EffectClass {
  if (read_only === true) return open_world === false ? 'read_internal' : 'read_external';
  return destructive === false ? 'commit_low' : 'commit_high';
}

/** The inputs that callers give: the one that is set to our key is none of them. */
function callersInputs(schema: JsonSchema, key_input: string | undefined): JsonSchema {
  if (key_input === undefined) return schema;
  const { [key_input]: _key, ...properties } = (schema.properties ?? {}) as Record<string, unknown>;
  const { required, ...rest } = schema;
  const others = Array.isArray(required) ? required.filter((name) => name !== key_input) : [];
  return { ...rest, properties, ...(others.length > 0 ? { required: others } : {}) };
}

function aliasOf({ name, upstream, definition, overlay: { alias, effect_class } }: UpstreamParts): UpstreamTie['alias'] {
  if (!alias || !isReadOnly(effect_class)) return undefined;
  return { name: upstreamAliasName(upstream.name, definition.name, name), ttl_ms: alias.ttl_ms };
}

function tieOf(parts: UpstreamParts): UpstreamTie {
  const { upstream, definition, overlay } = parts;
  const { name: server } = upstream;
  const { name, flags } = definition;
  const { key_input, reconcile, compensation } = overlay;
  const alias = aliasOf(parts);
  return {
    server,
    tool: name,
    ...(flags.length > 0 ? { flags } : {}),
    ...(key_input === undefined ? {} : { key_input }),
    ...(reconcile === undefined ? {} : { reconcile }),
    ...(compensation === undefined ? {} : { compensation }),
    ...(alias === undefined ? {} : { alias }),
  };
}

const OPTIONAL = ['summary', 'resources', 'tier', 'purposes', 'undo_within_ms'] as const;

function declared(overlay: UpstreamOverlay): Partial<ToolContract> {
  return Object.fromEntries(OPTIONAL.filter((field) => overlay[field] !== undefined).map((field) => [field, overlay[field]]));
}

function idempotencyOf({ effect_class, discriminating, window_ms = WINDOW_MS }: UpstreamOverlay): ToolContract['idempotency'] {
  if (isReadOnly(effect_class)) return { except: [] };
  return { ...(discriminating ? { discriminating } : { except: [] }), window_ms };
}

/** What a contract of an upstream tool is made of. */
export interface UpstreamParts {
  /** The tool's name here. */
  name: string;
  version: string;
  upstream: { name: string; place: UpstreamAddress; timeout_ms: number; credentials: readonly { secret: string }[] };
  definition: UpstreamDefinition;
  overlay: UpstreamOverlay;
}

/** The contract of a tool of an upstream: what its owner says of it, and what an operator declares of its effect. */
export function upstreamContract(parts: UpstreamParts): ToolContract {
  const { name, version, upstream, definition, overlay } = parts;
  const timeout_ms = overlay.timeout_ms ?? upstream.timeout_ms;
  const { place, credentials } = upstream;
  return {
    name,
    version,
    title: definition.title.trim().slice(0, TITLE_MAX) || definition.name.slice(0, TITLE_MAX),
    description: definition.description,
    category: 'upstream',
    input_schema: callersInputs(definition.input_schema, overlay.key_input),
    output_schema: definition.output_schema,
    has_reconcile: overlay.reconcile !== undefined,
    has_compensate: overlay.compensation !== undefined,
    effect_class: overlay.effect_class,
    reversibility: overlay.reversibility ?? REVERSIBILITY[overlay.effect_class],
    idempotency: idempotencyOf(overlay),
    takes_key: false,
    timeout_ms,
    settle_ms: overlay.settle_ms ?? 2 * timeout_ms,
    settle_is_final: overlay.settle_is_final ?? false,
    max_output_bytes: overlay.max_output_bytes ?? OUTPUT_BYTES_MAX,
    markings: overlay.markings ?? [],
    scopes: overlay.scopes ?? [],
    ...declared(overlay),
    ...(place.kind === 'http' ? { network: [new URL(place.url).host] } : {}),
    ...(credentials.length > 0 ? { auth_requirements: [...new Set(credentials.map(({ secret }) => secret))] } : {}),
    provider: upstream.name,
    protocol: 'mcp',
    endpoint: addressText(place),
    upstream: tieOf(parts),
  };
}
