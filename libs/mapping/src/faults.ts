import { dateFormFault } from './date.js';
import { numberFormFault } from './decimal.js';
import { type MappingDefinition, MappingFault, type MappingIssue, type MappingRule } from './definition.js';
import { Expression } from './expression.js';
import { inverseOf } from './inverse.js';
import { partsOf } from './pointer.js';

const DEPTH_MAX = 8;
const RULES_MAX = 500;

type Known = { tables: ReadonlySet<string>; left: { rules: number } };

function placeFaults(rule: MappingRule): string[] {
  const faults: string[] = [];
  if (rule.from !== undefined && partsOf(rule.from) === undefined) faults.push('from is not a JSON Pointer');
  for (const use of rule.uses ?? []) if (partsOf(use) === undefined) faults.push('uses has an entry that is not a JSON Pointer');
  if (rule.drop)
    return rule.from === undefined || rule.to !== undefined ? [...faults, 'a rule with drop needs from and must not have to'] : faults;
  if (rule.to === undefined || partsOf(rule.to) === undefined || rule.to === '') faults.push('to is not the JSON Pointer of a field');
  if (rule.from === undefined && rule.value === undefined && rule.default === undefined) faults.push('it needs from, value or default');
  return faults;
}

function stepFaults(rule: MappingRule, tables: ReadonlySet<string>): string[] {
  const faults: (string | undefined)[] = [];
  for (const table of [rule.lookup, rule.lookup_back])
    if (table !== undefined && !tables.has(table)) faults.push(`there is no table ${table}`);
  if (rule.date) faults.push(dateFormFault(rule.date.from), dateFormFault(rule.date.to));
  if (rule.decimal) faults.push(numberFormFault(rule.decimal.from), numberFormFault(rule.decimal.to));
  if (rule.value !== undefined) faults.push(expressionFault(rule.value));
  if (rule.skip_unknown && !rule.each) faults.push('skip_unknown needs each');
  return faults.filter((fault) => fault !== undefined);
}

function expressionFault(text: string): string | undefined {
  try {
    new Expression(text);
    return undefined;
  } catch (fault) {
    if (fault instanceof MappingFault) return `value: ${fault.message}`;
    throw fault;
  }
}

/** Faults of two rules that write to the same place, or one inside the place of the other. */
function clashes(rules: readonly MappingRule[], at: string): MappingIssue[] {
  const taken = rules.map((rule, i) => ({ to: `${rule.drop ? `\n${i}` : rule.to}/`, i }));
  const sorted = taken.toSorted((a, b) => (a.to < b.to ? -1 : 1));
  return sorted.flatMap(({ to, i }, n) => {
    const next = sorted[n + 1];
    return next?.to.startsWith(to) ? [{ path: `${at}/${Math.max(i, next.i)}/to`, message: 'another rule writes to this path' }] : [];
  });
}

function ruleFaults(rules: readonly MappingRule[], at: string, known: Known, depth: number): MappingIssue[] {
  known.left.rules -= rules.length;
  if (depth > DEPTH_MAX || known.left.rules < 0) return [{ path: at, message: `at most ${RULES_MAX} rules, ${DEPTH_MAX} deep` }];
  const own = rules.flatMap((rule, i) => {
    const path = `${at}/${i}`;
    const faults = [...placeFaults(rule), ...stepFaults(rule, known.tables)].map((message) => ({ path, message }));
    return rule.each ? [...faults, ...ruleFaults(rule.each, `${path}/each`, known, depth + 1)] : faults;
  });
  return [...own, ...clashes(rules, at)];
}

/** What agents send is never left out. */
function skips(rules: readonly MappingRule[], at: string): MappingIssue[] {
  return rules.flatMap(({ skip_unknown, each }, i) => [
    ...(skip_unknown ? [{ path: `${at}/${i}/skip_unknown`, message: 'is for lists of results alone' }] : []),
    ...(each ? skips(each, `${at}/${i}/each`) : []),
  ]);
}

function usesBack(rules: readonly MappingRule[]): string[] {
  return rules.flatMap((rule) => [
    ...(rule.lookup_back === undefined ? [] : [rule.lookup_back]),
    ...(rule.each ? usesBack(rule.each) : []),
  ]);
}

/** All faults of a definition, with their places; empty if it can be compiled. */
export function definitionFaults(definition: MappingDefinition): MappingIssue[] {
  const tables = new Set(Object.keys(definition.tables ?? {}));
  const known: Known = { tables, left: { rules: RULES_MAX } };
  const faults = [...ruleFaults(definition.inputs, '/inputs', known, 0), ...skips(definition.inputs, '/inputs')];
  if (Array.isArray(definition.results)) faults.push(...ruleFaults(definition.results, '/results', known, 0));
  if (faults.length > 0) return faults;
  const back = definition.results === 'inverse' ? inverseOf(definition.inputs, '/inputs') : (definition.results ?? []);
  if (typeof back === 'string') return [{ path: '/results', message: `there is no inverse: ${back}` }];
  for (const name of [...usesBack(back), ...usesBack(definition.inputs)]) {
    const values = Object.values(definition.tables?.[name] ?? {}).map((value) => JSON.stringify(value));
    if (new Set(values).size < values.length)
      faults.push({ path: `/tables/${name}`, message: 'each of its values must be unique, because it is also read backwards' });
  }
  return faults;
}
