// Generates libs/contracts/src/generated from schemas/: one TypeScript type per Avro type, the event map and the schemas
// as they are registered (shared types inlined). `--check` writes nothing and exits 1 on a difference; `--root DIR`
// works on another tree of the same shape. `--release` writes what the schemas are now into schemas/released.json: logs hold
// records of them from then on, so that a change gets a new id, must be able to read them, and leaves them readable.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import avro from 'avsc';

const rootOption = process.argv.indexOf('--root');
const root = rootOption > 0 ? process.argv[rootOption + 1] : path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const schemas = path.join(root, 'schemas');
const out = path.join(root, 'libs/contracts/src/generated');
const NAMESPACE = 'countersign.';
const PRIMITIVES = {
  string: 'string',
  int: 'number',
  long: 'number',
  double: 'number',
  float: 'number',
  boolean: 'boolean',
  bytes: 'Uint8Array',
  null: 'null',
};

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const pascal = (name) => name.replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase());

/** Every named type by its full name, wherever it is defined. */
function collectNamed(schema, into) {
  if (Array.isArray(schema)) for (const branch of schema) collectNamed(branch, into);
  else if (schema && typeof schema === 'object') {
    if (schema.type === 'record' || schema.type === 'enum') into.set(NAMESPACE + schema.name, schema);
    if (schema.type === 'record') for (const field of schema.fields) collectNamed(field.type, into);
    if (schema.type === 'array') collectNamed(schema.items, into);
  }
  return into;
}

/** The schema with each shared type defined where it first occurs, as a registry wants it; `personal` and `optional` (a writer may leave it out: its default is written) are for us alone. */
function inline(schema, named, seen) {
  if (typeof schema === 'string') {
    if (!named.has(schema) || seen.has(schema)) return schema;
    return inline(named.get(schema), named, seen);
  }
  if (Array.isArray(schema)) return schema.map((branch) => inline(branch, named, seen));
  if (schema.type === 'array') return { ...schema, items: inline(schema.items, named, seen) };
  const full = NAMESPACE + schema.name;
  if (seen.has(full)) return full;
  seen.add(full);
  if (schema.type === 'enum') return schema;
  return {
    ...schema,
    fields: schema.fields.map(({ personal: _, optional: __, ...field }) => ({ ...field, type: inline(field.type, named, seen) })),
  };
}

const holdsText = (type) => {
  if (Array.isArray(type)) return type.some(holdsText);
  if (type && typeof type === 'object')
    return type.type === 'array' ? holdsText(type.items) : type.type === 'string' || type.type === 'bytes';
  return type === 'string' || type === 'bytes';
};

/** Every text says whether it may be personal; what that means is in docs/how-to/personal-data.md. */
function mustClassify(named) {
  for (const { name, type, fields } of named.values()) {
    for (const field of type === 'record' ? fields : []) {
      if (!holdsText(field.type) || /^(sealed|never|settings|clear: .{10,})$/.test(field.personal ?? '')) continue;
      throw new Error(
        `${name}.${field.name}: say "personal": "sealed" (ciphertext where it is about a subject), "never" (an id, a name, a digest, a word of ours), "settings" (administrators write it) or "clear: why"`,
      );
    }
  }
}

function tsType(schema) {
  if (typeof schema === 'string') return PRIMITIVES[schema] ?? pascal(schema.replace(NAMESPACE, ''));
  if (Array.isArray(schema)) return schema.map(tsType).reverse().join(' | ');
  if (schema.type === 'array') return `${tsType(schema.items)}[]`;
  return pascal(schema.name);
}

function tsDeclaration(schema) {
  const doc = (text, indent = '') => (text ? `${indent}/** ${text} */\n` : '');
  if (schema.type === 'enum')
    return `${doc(schema.doc)}export type ${pascal(schema.name)} = ${schema.symbols.map((s) => `'${s}'`).join(' | ')};\n`;
  const fields = schema.fields
    .map((field) => `${doc(field.doc, '  ')}  ${field.name}${field.optional ? '?' : ''}: ${tsType(field.type)};\n`)
    .join('');
  return `${doc(schema.doc)}export interface ${pascal(schema.name)} {\n${fields}}\n`;
}

function loadEvents() {
  const topics = readdirSync(schemas, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'types')
    .map((entry) => entry.name)
    .sort();
  return topics.flatMap((topic) =>
    readdirSync(path.join(schemas, topic))
      .sort()
      .map((file) => {
        const match = /^([a-z_]+)\.v(\d+)\.avsc$/.exec(file);
        if (!match) throw new Error(`schemas/${topic}/${file}: name it <event>.v<N>.avsc`);
        const schema = readJson(path.join(schemas, topic, file));
        if (schema.name !== match[1]) throw new Error(`schemas/${topic}/${file}: the record is called ${schema.name}`);
        if (schema.fields[0]?.name !== 'meta') throw new Error(`schemas/${topic}/${file}: the first field must be meta`);
        return { topic, name: match[1], key: `${topic}/${file.replace('.avsc', '')}`, schema };
      }),
  );
}

const withoutDocs = (text) => JSON.stringify(JSON.parse(text, (key, value) => (key === 'doc' ? undefined : value)));

/** BACKWARD: whoever has the new schema can read what the released one wrote. */
function mustRead(event, text, released) {
  const typeOf = (schema) => avro.Type.forSchema(JSON.parse(schema), { omitRecordMethods: true });
  try {
    typeOf(text).createResolver(typeOf(released.schema));
  } catch (cause) {
    throw new Error(
      `schemas/${event.key}.avsc cannot read records of its released version ${released.version} (${cause.message}): give new fields a default and keep the others`,
    );
  }
}

/** Gives each event its text, its id and its version: those of the release that has the same, else the next after it. */
function assignIds(events, named, ids, released) {
  let next = Math.max(0, ...Object.values(ids), ...released.map(({ id }) => id)) + 1;
  for (const event of events) {
    event.text = JSON.stringify(inline(event.schema, named, new Set()));
    const versions = released.filter(({ event_type }) => event_type === event.name);
    const last = versions.at(-1);
    if (last && withoutDocs(last.schema) === withoutDocs(event.text)) {
      Object.assign(event, { text: last.schema, id: last.id, version: last.version });
    } else {
      for (const version of versions) mustRead(event, event.text, version);
      const known = ids[event.key];
      event.id = known !== undefined && known > (last?.id ?? 0) ? known : next++;
      event.version = (last?.version ?? 0) + 1;
    }
    ids[event.key] = event.id;
  }
  mustDiffer(events);
  return ids;
}

/** Two branches may have taken the same next id. */
function mustDiffer(events) {
  const keys = new Map();
  for (const { id, key } of events) {
    if (keys.has(id)) throw new Error(`${keys.get(id)} and ${key} have the id ${id}: remove one of them from schemas/ids.json`);
    keys.set(id, key);
  }
}

const asReleased = ({ id, topic, name, version, text }) => ({ id, topic, event_type: name, version, schema: text });

function render(events, named, released) {
  const header = '// Generated by scripts/generate.mjs from schemas/. Do not edit.\n\n';
  const types = [...named.values()];
  const byTopic = groupBy(events);
  const topicEvents = [...byTopic]
    .map(([topic, list]) => `  '${topic}': ${list.map((e) => `Tagged<'${e.name}'>`).join(' | ')};\n`)
    .join('');
  const older = released.filter(({ id }) => !events.some((event) => event.id === id));
  const definitions = [...older, ...events.map(asReleased)]
    .sort((a, b) => a.id - b.id)
    .map(
      ({ id, topic, event_type, version, schema }) =>
        `  { id: ${id}, topic: '${topic}', event_type: '${event_type}', version: ${version}, schema: ${JSON.stringify(schema)} },\n`,
    );
  return {
    'events.ts': `${header}${types.map(tsDeclaration).join('\n')}
export interface EventMap {
${events.map((e) => `  ${e.name}: ${pascal(e.name)};\n`).join('')}}

export type EventType = keyof EventMap;
/** An event with the name that tells its type. */
export type Tagged<T extends EventType> = T extends EventType ? { event_type: T; event: EventMap[T] } : never;
export type AnyEvent = Tagged<EventType>;

export interface TopicEvents {
${topicEvents}}
export type TopicName = keyof TopicEvents;
`,
    'schemas.ts': `${header}import type { EventType, TopicName } from './events.js';

export interface EventSchema {
  /** Id on the wire where no registry assigns another; append-only (schemas/ids.json, schemas/released.json). */
  id: number;
  topic: TopicName;
  event_type: EventType;
  version: number;
  schema: string;
}

export const eventSchemas: readonly EventSchema[] = [
${definitions.join('')}];
`,
  };
}

function groupBy(events) {
  const map = new Map();
  for (const event of events) map.set(event.topic, [...(map.get(event.topic) ?? []), event]);
  return map;
}

const check = process.argv.includes('--check');
const named = new Map();
for (const file of readdirSync(path.join(schemas, 'types')).sort()) collectNamed(readJson(path.join(schemas, 'types', file)), named);
const events = loadEvents();
for (const event of events) collectNamed(event.schema, named);
mustClassify(named);
const released = readJson(path.join(schemas, 'released.json'));
const ids = assignIds(events, named, readJson(path.join(schemas, 'ids.json')), released);
if (process.argv.includes('--release')) {
  for (const event of events) if (!released.some(({ id }) => id === event.id)) released.push(asReleased(event));
  released.sort((a, b) => a.id - b.id);
}
const files = {
  [path.join(schemas, 'released.json')]: `${JSON.stringify(released, null, 2)}\n`,
  ...Object.fromEntries(Object.entries(render(events, named, released)).map(([name, text]) => [path.join(out, name), text])),
  [path.join(schemas, 'ids.json')]: `${JSON.stringify(ids, null, 2)}\n`,
};
let stale = 0;
mkdirSync(out, { recursive: true });
for (const [file, text] of Object.entries(files)) {
  let before = '';
  try {
    before = readFileSync(file, 'utf8');
  } catch {}
  if (before === text) continue;
  stale++;
  if (check) console.error(`${path.relative(root, file)} is stale: run npm run generate and commit the result`);
  else writeFileSync(file, text);
}
if (check && stale > 0) process.exit(1);
console.log(`${events.length} events, ${named.size} types${check ? ', generated code is current' : `, ${stale} files written`}`);
