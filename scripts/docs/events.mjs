// docs/reference/events.md: every topic and event, from schemas/.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { table } from './markdown.mjs';

const shownType = (type) => {
  if (Array.isArray(type)) return type.map(shownType).join(' or ');
  if (typeof type === 'string') return type.replace('countersign.', '');
  if (type.type === 'array') return `list of ${shownType(type.items)}`;
  if (type.type === 'enum') return type.symbols.map((symbol) => `\`${symbol}\``).join(', ');
  return type.name ?? type.type;
};

function event(file) {
  const { name, doc, fields } = JSON.parse(readFileSync(file, 'utf8'));
  const rows = fields
    .filter((field) => field.name !== 'meta')
    .map((field) => [`\`${field.name}\``, shownType(field.type), field.doc ?? '']);
  return `### ${name}\n\n${doc ?? ''}\n\n${rows.length === 0 ? 'No fields besides `meta`.' : table(['field', 'type', 'meaning'], rows)}\n`;
}

export const page = (root) => {
  const schemas = path.join(root, 'schemas');
  const topics = readdirSync(schemas, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'types');
  const sections = topics.map(({ name }) => {
    const files = readdirSync(path.join(schemas, name)).sort();
    return `## ${name}\n\n${files.map((file) => event(path.join(schemas, name, file))).join('\n')}`;
  });
  return `# Events

Each topic is written by one service. Values are Avro in the Confluent wire format; the first field of every event is \`meta\` (event id, tenant, call,
attempt, cause, time on the log's clock, partition). \`schemas/\` is the source of this page, \`/asyncapi.json\` describes the topics for analysts.

${sections.join('\n')}`;
};
