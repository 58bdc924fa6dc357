import { EFFECTS } from '../effects/effect-words.js';
import { Button } from '../elements/button.js';
import { SearchField } from '../elements/search-field.js';
import { useNavigate, usePlace, useQueryState } from '../navigation/navigation.js';
import { optionText } from '../schema-form/option-text.js';
import { AUTH_FILTERS, FILTER_NAMES, type ToolFilters, TRUST_FILTERS } from './tool-filters.js';
import type { ToolSummary } from './tool-summary.js';
import { LIFECYCLES } from './tool-version.js';

type Options = readonly (readonly [value: string, label: string])[];

/** Search and filters of the selector. `is_narrow`: the search only, for the list beside a tool. */
export function ToolFilterBar({ tools, is_narrow = false }: { tools: readonly ToolSummary[]; is_narrow?: boolean }) {
  const [q, setQ] = useQueryState('q');
  const categories = [...new Set(tools.map(({ category }) => category))].filter(Boolean).sort().slice(0, 200);
  const search = <SearchField value={q} onValue={setQ} label="Search tools" />;
  if (is_narrow) return search;
  return (
    <div class="tools-filters">
      {search}
      <Filter name="category" label="Category" options={categories.map((one) => [one, optionText(one)])} />
      <Filter name="effect" label="Effect" options={Object.entries(EFFECTS)} />
      <Filter name="lifecycle" label="State" options={Object.entries(LIFECYCLES).map(([state, [word]]) => [state, word])} />
      <Filter name="auth" label="Secrets" options={Object.entries(AUTH_FILTERS)} />
      <Filter name="trust" label="Trust" options={Object.entries(TRUST_FILTERS)} />
      <ClearFilters />
    </div>
  );
}

function Filter({ name, label, options }: { name: keyof ToolFilters; label: string; options: Options }) {
  const [value, setValue] = useQueryState(name);
  return (
    <select
      class="input tools-filter"
      aria-label={label}
      data-set={value !== '' || undefined}
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
    >
      <option value="">{label}</option>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function ClearFilters() {
  const { path, query } = usePlace();
  const go = useNavigate();
  const all = new URLSearchParams(query);
  if (!FILTER_NAMES.some((name) => all.has(name))) return null;
  return (
    <Button look="quiet" icon="close" onClick={() => go(path, { replace: true })}>
      Clear
    </Button>
  );
}
